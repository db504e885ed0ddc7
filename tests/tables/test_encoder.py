"""The encoder of tables against scikit-learn's parts, on every form of table, and read again from a file."""

import datetime
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import setwise
from setwise import BinaryRelevance, TableEncoder, make_set_pipeline
from setwise.errors import InputError, InputWarning

WORDS = [
    "refund please",
    "cannot log in",
    "charged twice today",
    "the app crashes",
    "log in fails",
    "money back now",
]


@pytest.fixture(scope="module")
def table():
    """120 rows of every kind, with missing cells."""
    rng = np.random.default_rng(0)
    n = 120
    holes = rng.random(n) < 0.1
    return pd.DataFrame(
        {
            "ticket_id": np.arange(1000, 1000 + n),
            "message": [f"{rng.choice(WORDS)} and {rng.choice(WORDS)} {i % 7}" for i in range(n)],
            "opened": pd.to_datetime("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D"),
            "plan": rng.choice(["free", "pro", "team"], n),
            "amount": np.where(holes, np.nan, rng.normal(50, 10, n).round(3)),
            "vip": rng.choice(["yes", "no"], n),
            "topics": rng.choice(["late parcel;b", "b", "c;late parcel", "lost parcel"], n),
            "source": "web",
        }
    )


KINDS = ["left out", "text", "date", "category", "number", "boolean", "tags", "left out"]


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def features(encoder, X, start):
    """The features whose names begin so, dense."""
    taken = [place for place, name in enumerate(encoder.get_feature_names_out()) if name.startswith(start)]
    return dense(encoder.transform(X))[:, taken]


def test_every_column_gets_its_kind(table):
    """Red when a column of one of the kinds is taken for another, before or after fit."""
    before = TableEncoder().describe(table)
    after = TableEncoder().fit(table).describe()
    assert before == after
    assert [column.kind for column in after] == KINDS
    assert after.to_frame()["column"].tolist() == list(table.columns)
    assert "an identifier" in repr(after)


def test_numbers_and_categories_are_those_of_scikit_learn(table):
    encoder = TableEncoder().fit(table)
    scaler = StandardScaler().fit(table[["amount"]])
    filled = table[["amount"]].fillna(table["amount"].median())
    np.testing.assert_allclose(
        features(encoder, table, "amount")[:, 0], scaler.transform(filled)[:, 0], rtol=1e-12
    )
    np.testing.assert_array_equal(features(encoder, table, "amount")[:, 1], table["amount"].isna())
    expected = OneHotEncoder(sparse_output=False).fit_transform(table[["plan"]])
    np.testing.assert_array_equal(features(encoder, table, "plan"), expected)


def test_words_are_those_of_a_vectorizer(table):
    """Red when text is cut, counted or weighted otherwise than by the documented vectorizer."""
    texts = table["message"].tolist()
    encoder = TableEncoder().fit(table)
    words = TfidfVectorizer(token_pattern=r"(?u)\w+|[^\w\s]", ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    pieces = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), min_df=2, sublinear_tf=True)
    names = words.fit(texts).get_feature_names_out()
    words.idf_ = words.idf_ * np.array([0.5 if " " in name else 1.0 for name in names])
    expected = sparse.hstack([words.transform(texts), pieces.fit_transform(texts)]).toarray()
    np.testing.assert_allclose(features(encoder, table, "message"), expected, rtol=1e-12)


def test_words_that_tags_share_are_those_of_a_vectorizer():
    """Red when a word of a tag without a feature is lost, or a list of many words weighs more than one of a few."""
    rows = [
        "space travel;robot",
        "space station;robot",
        "",
        "time travel;travel",
        "Space Opera, live;time machine",
    ]
    encoder = TableEncoder({"about": "tags"}, min_frequency=1, sparse_output=False).fit({"about": rows})
    counts = TfidfVectorizer(use_idf=False, binary=True, vocabulary=["space", "time", "travel"])
    assert encoder.columns_["about"].words == ("space", "time", "travel")  # robot is one tag only
    unseen = ["space robot;a space station", "time travel", None]
    expected = counts.fit_transform([row or "" for row in unseen]).toarray()
    np.testing.assert_allclose(features(encoder, {"about": unseen}, "about: "), expected, rtol=1e-15)
    kept = TableEncoder({"about": "tags"}, min_frequency=1, missing="keep", sparse_output=False)
    assert np.isnan(features(kept.fit({"about": rows}), {"about": [None]}, "about")).all()


def test_fit_transform_is_fit_and_transform(table):
    both = TableEncoder().fit_transform(table)
    np.testing.assert_allclose(dense(both), dense(TableEncoder().fit(table).transform(table)))


FORMS = {
    "pandas": lambda frame: frame,
    "pandas extension": lambda frame: frame.convert_dtypes(),
    "pandas objects": lambda frame: frame.astype(object).where(frame.notna(), None),
    "polars": lambda frame: pl.DataFrame({name: frame[name].tolist() for name in frame}).fill_nan(None),
    "polars lazy": lambda frame: pl.DataFrame({name: frame[name].tolist() for name in frame}).lazy(),
    "dict": lambda frame: {name: frame[name].tolist() for name in frame},
    "list of dicts": lambda frame: frame.to_dict("records"),
    "text": lambda frame: {n: ["" if v != v else str(v) for v in frame[n].tolist()] for n in frame},
    "arrow": lambda frame: Arrow(frame),
}


class Arrow:
    """The part of a pyarrow Table that is used."""

    def __init__(self, frame):
        self.column_names = list(frame.columns)
        self._columns = [[None if v != v else v for v in frame[name].tolist()] for name in frame]

    def column(self, place):
        return self

    def __getattribute__(self, name):
        if name != "column":
            return object.__getattribute__(self, name)
        return lambda place: type("Chunk", (), {"to_pylist": lambda _: self._columns[place]})()


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_table_gives_the_same_features(table, form):
    """Red when a library's missing values, dates or numbers are read otherwise than pandas'."""
    expected = TableEncoder().fit_transform(table)
    other = TableEncoder().fit_transform(FORMS[form](table))
    np.testing.assert_array_equal(dense(other), dense(expected))


def test_columns_are_found_by_name(table):
    """Red when the order of columns matters, an extra one disturbs, or a renamed one is not named."""
    encoder = TableEncoder().fit(table)
    moved = table[table.columns[::-1]].assign(more=1)
    np.testing.assert_array_equal(dense(encoder.transform(moved)), dense(encoder.transform(table)))
    without = table.drop(columns=["ticket_id", "source"])
    np.testing.assert_array_equal(dense(encoder.transform(without)), dense(encoder.transform(table)))
    with pytest.raises(InputError, match=r"column 'amount' of the training table is missing.*'amounts'\?"):
        encoder.transform(table.rename(columns={"amount": "amounts"}))


def test_new_values_have_their_place():
    """Red when a new category is an error, a rare one has its own feature, or a new year is
    unknown or has an age that no row of training has."""
    plans = ["free"] * 150 + ["pro"] * 148 + ["odd", "old"]
    days = [f"2023-{1 + i % 12:02d}-15" for i in range(300)]
    encoder = TableEncoder(min_frequency=3).fit({"plan": plans, "day": days})
    assert encoder.get_feature_names_out()[:3].tolist() == ["plan=free", "plan=pro", "plan=(rare)"]
    new = encoder.transform({"plan": ["new", "old"], "day": ["2031-01-15", "2023-01-15"]})
    assert new[:, :3].tolist() == [[0, 0, 1], [0, 0, 1]]
    year = [place for place, name in enumerate(encoder.get_feature_names_out()) if "year" in name]
    np.testing.assert_allclose(new[0, year], new[1, year], atol=0.05)
    last = encoder.transform({"plan": ["old"], "day": ["2023-12-15"]})
    assert new[0, 3] == last[0, 3] > 1.5  # a line through eleven months says nothing about eight years
    plain = TableEncoder().fit({"plan": ["a", "b", "c"]})
    with pytest.warns(InputWarning, match="1 entry of column 'plan' is new, such as 'd'"):
        assert plain.transform({"plan": ["d"]}).tolist() == [[0, 0, 0]]


def test_missing_values_are_imputed_or_kept(table):
    """Red when NaN gets through unasked, is lost when asked for, or new holes are an error."""
    holes = table.copy()
    holes.loc[3, ["plan", "vip", "topics", "message"]] = None
    holes.loc[3, "opened"] = pd.NaT
    assert not np.isnan(dense(TableEncoder().fit(table).transform(holes))).any()
    kept = TableEncoder(missing="keep", sparse_output=False).fit(table).transform(holes)
    names = TableEncoder(missing="keep").fit(table).get_feature_names_out()
    gone = [name for name, value in zip(names, kept[3]) if np.isnan(value)]
    assert {name.split("=")[0].split(":")[0] for name in gone} - {"amount"} == {
        "opened",
        "plan",
        "vip",
        "topics",
    }
    np.testing.assert_array_equal(np.isnan(kept[:, list(names).index("amount")]), table["amount"].isna())


def test_the_user_decides(table):
    chosen = {
        "plan": "text",
        "ticket_id": "number",
        "amount": "category",
        "message": "ignore",
        "vip": "category",
    }
    encoder = TableEncoder(chosen).fit(table)
    found = {column.column: column.kind for column in encoder.describe()}
    assert found["message"] == "left out"
    assert all(found[name] == kind for name, kind in chosen.items() if kind != "ignore")
    with pytest.raises(InputError, match="column 'plan' cannot be 'word'; expected number, category"):
        TableEncoder({"plan": "word"}).fit(table)
    with pytest.raises(InputError, match="columns=: column 'plam' not found"):
        TableEncoder({"plam": "text"}).fit(table)
    with pytest.raises(
        InputError, match=r"expected a number in column 'plan', found '(free|pro|team)', row 0"
    ):
        TableEncoder({"plan": "number"}).fit(table)


@pytest.mark.parametrize(
    ("entries", "first"),
    [
        (["$1,250.00", "$99", ""], 1250.0),
        (["97%", "12.5%", ""], 97.0),
        (["1,250", "3,000,000", "12"], 1250.0),
        (["1e3", " 2 ", "NA"], 1000.0),
    ],
)
def test_numbers_as_people_write_them(entries, first):
    encoder = TableEncoder(scale=False, missing="keep").fit({"x": entries})
    assert encoder.describe()[0].kind == "number"
    assert encoder.transform({"x": entries})[0, 0] == first


@pytest.mark.parametrize(
    ("entries", "day"),
    [
        (["31.12.2023", "01.02.2024"], 31),
        (["12/31/2023", "02/01/2024"], 31),
        (["31/12/2023", "01/02/2024"], 31),
        (["31-DEC-2023 15:01:01.79", "1-FEB-2024 00:00:00.00"], 31),
        (["2023-12-31T15:00:00Z", "2024-02-01T00:00:00+02:00"], 31),
        (["December 31, 2023", "February 1, 2024"], 31),
        ([datetime.date(2023, 12, 31), datetime.date(2024, 2, 1)], 31),
    ],
)
def test_dates_as_people_write_them(entries, day):
    """Red when a way of writing is not known, or day and month are exchanged."""
    encoder = TableEncoder(scale=False).fit({"when": entries})
    assert encoder.describe()[0].kind == "date"
    years = encoder.transform({"when": entries})[:, 0]
    assert 0.08 < years[1] - years[0] < 0.09


def test_new_texts_are_read_bit_for_bit_as_those_of_training():
    """Red when pairs of words weigh other at training than later, or as much as words."""
    table = {"note": [f"the cat sat on mat {i % 7} and mat {i % 5}" for i in range(150)]}
    encoder = TableEncoder(columns={"note": "text"}, sparse_output=False)
    first = encoder.fit_transform(table)
    words = np.array(["…" not in name for name in encoder.get_feature_names_out()])
    np.testing.assert_array_equal(first[:, words], encoder.transform(table)[:, words])
    place = {name: j for j, name in enumerate(encoder.get_feature_names_out())}
    np.testing.assert_allclose(first[:, place["note: the cat"]], 0.5 * first[:, place["note: cat"]])


def test_a_few_odd_entries_among_dates_are_missing_and_said_so():
    """Red when odd entries make text of a column of dates, are silent, are read as other dates, or stop new rows."""
    written = [f"{1 + i % 28}-FEB-1987 15:01:01.79" for i in range(100)]
    odd = [entry + " RM" if i % 12 == 0 else entry for i, entry in enumerate(written)]
    with pytest.warns(InputWarning, match="9 entries of column 'd' are written otherwise"):
        encoder = TableEncoder().fit({"d": odd})
    assert (encoder.describe()[0].kind, "9 unreadable" in encoder.describe()[0].made) == ("date", True)
    emptied = TableEncoder().fit({"d": ["" if entry.endswith("RM") else entry for entry in odd]})
    with pytest.warns(InputWarning, match="1 entry of column 'd' is written otherwise"):
        found = encoder.transform({"d": ["soon", written[3]]})
    assert found.tolist() == emptied.transform({"d": ["", written[3]]}).tolist()


def test_dates_without_odd_entries_stay_strict():
    """Red when a word among few dates, or many words among dates, are taken for missing dates."""
    assert (
        TableEncoder().describe({"d": ["2024-01-01", "2024-01-02", "soon", "2024-01-04"]})[0].kind != "date"
    )
    half = [f"2024-01-{1 + i % 28:02d}" if i % 4 else f"week {i}" for i in range(100)]
    assert TableEncoder().describe({"d": half})[0].kind != "date"


def test_languages_without_spaces_and_html():
    """Red when Chinese text is one word, or HTML tags become words."""
    chinese = [
        "我想要退款因为商品坏了",
        "无法登录我的账户请帮忙",
        "退款什么时候到账呢",
        "登录密码忘记了怎么办",
    ] * 3
    encoder = TableEncoder({"note": "text"}).fit({"note": chinese})
    assert any("退款" in name for name in encoder.get_feature_names_out())
    pages = [f"<p class='x'>bread &amp; oven {i}</p>" for i in range(30)]
    names = TableEncoder().fit({"note": pages}).get_feature_names_out()
    assert "note: bread" in names
    assert not any("class" in name or "amp" in name for name in names)


def test_many_texts_are_hashed(monkeypatch):
    """Red when very many words are listed, which takes much memory, or slices of texts differ from all at once."""
    monkeypatch.setattr("setwise.tables.columns.text.LISTED", 2**10 - 1)
    texts = [f"{WORDS[i % 6]} number {i}" for i in range(60)]
    encoder = TableEncoder(max_words=2**10)
    X = encoder.fit_transform({"note": texts})
    assert "hashed" in encoder.describe()[0].made
    monkeypatch.setattr("setwise.tables.columns.text.SLICE", 7)
    again = encoder.transform({"note": texts})
    assert again.shape == (60, 2**10)
    np.testing.assert_array_equal(dense(again), dense(X))


def test_words_of_long_columns_are_chosen_from_a_part(monkeypatch):
    """Red when a part of the texts gives other words, or slices other features than all texts at once."""
    rng = np.random.default_rng(0)
    texts = {"note": [f"{rng.choice(WORDS)} and {rng.choice(WORDS)} {'rare' * (i == 3)}" for i in range(300)]}
    whole = TableEncoder().fit(texts)
    monkeypatch.setattr("setwise.tables.columns.text.SAMPLED", 2000)
    monkeypatch.setattr("setwise.tables.columns.text.SLICE", 7)
    part = TableEncoder()
    X = part.fit_transform(texts)
    assert {*part.get_feature_names_out()} <= {*whole.get_feature_names_out()}
    assert all(f"note: {phrase.split()[0]}" in part.get_feature_names_out() for phrase in WORDS)
    np.testing.assert_array_equal(dense(part.transform(texts)), dense(X))


def test_vectors_keep_their_geometry():
    """Red when an embedding's entries are scaled one by one."""
    vectors = np.random.default_rng(0).normal(size=(50, 3)) * [1.0, 5.0, 0.1]
    for column in (list(vectors), vectors.tolist(), [str(v.tolist()) for v in vectors]):
        X = TableEncoder().fit_transform({"e": column})
        distances = np.linalg.norm(X[1:] - X[:-1], axis=1) / np.linalg.norm(
            vectors[1:] - vectors[:-1], axis=1
        )
        np.testing.assert_allclose(distances, distances[0])


def test_an_encoder_is_a_transformer(table):
    """Red when clone, pickle, parameters or the wrong input do not behave as scikit-learn's."""
    encoder = clone(TableEncoder(max_words=20)).fit(table)
    again = pickle.loads(pickle.dumps(encoder))
    np.testing.assert_array_equal(dense(again.transform(table)), dense(encoder.transform(table)))
    assert encoder.n_features_in_ == table.shape[1]
    with pytest.raises(ValueError, match="put a single column into a dict"):
        TableEncoder().fit(["a", "b"])
    with pytest.raises(InputError, match="2 columns are called 'a'"):
        TableEncoder().fit(pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]))


def test_a_pipeline_comes_back_from_its_file_bit_for_bit(table, tmp_path):
    """Red when a kind of column is stored with less than it learned."""
    frame = table.assign(vector=[[float(i), float(i % 5)] for i in range(len(table))])
    tags = [["login"] if "log" in text else ["money"] for text in frame["message"]]
    for missing in ("impute", "keep"):
        model = make_set_pipeline(TableEncoder(missing=missing), BinaryRelevance(l2=1.0)).fit(frame, tags)
        setwise.save(model, tmp_path / "m.setwise")
        again = setwise.load(tmp_path / "m.setwise")
        np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
        assert again[0].describe() == model[0].describe()
        assert again.predict_tags(frame) == model.predict_tags(frame)


def test_hashed_words_come_back_from_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr("setwise.tables.columns.text.LISTED", 2**10 - 1)
    texts = {"note": [f"{WORDS[i % 6]} number {i}" for i in range(60)]}
    model = make_set_pipeline(TableEncoder(max_words=2**10), BinaryRelevance(l2=1.0))
    model.fit(texts, [["a"], ["b"]] * 30)
    setwise.save(model, tmp_path / "m.setwise")
    np.testing.assert_array_equal(
        setwise.load(tmp_path / "m.setwise").predict_proba(texts), model.predict_proba(texts)
    )


@pytest.mark.filterwarnings("error")
def test_the_rows_of_training_give_no_warning(table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TableEncoder().fit(table).transform(table)
