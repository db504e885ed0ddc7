"""What a stranger's file tried once, by name. Every file here has right digests."""

import copy
import json
import time

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)

import setwise
from setwise.decisions import Constrained
from setwise.kernels.tree_scores import TreeScores
from setwise.persistence import ModelFileError
from tests.persistence.keep import FOLDER
from tests.persistence.sealing import members, pack, promise, rewrite

RNG = np.random.default_rng(0)
X = np.abs(RNG.normal(size=(40, 4)))
Y = (X[:, :3] + RNG.normal(size=(40, 3)) > 0.7).astype(int)
TEXTS = ["the red ball", "a green ball", "the sky", "red sky"] * 10


def save(model, tmp_path, data=X):
    path = tmp_path / "model.setwise"
    setwise.save(model.fit(data, Y), path)
    return path


def forge(path, change):
    """Change the model in the manifest; ``change`` is given its root."""
    rewrite(path, manifest=lambda manifest: change(manifest["model"]))
    return path


def objects(node):
    """Every object in a node, outermost first."""
    if isinstance(node, dict):
        if node.get("$") == "object":
            yield node
        node = list(node.values())
    for item in node if isinstance(node, list) else []:
        yield from objects(item)


def find(root, name):
    return next(node for node in objects(root) if node["class"].endswith(f".{name}"))


def refuses(path, message):
    before = sorted(path.parent.rglob("*"))
    start = time.process_time()
    with pytest.raises(ModelFileError, match=message) as error:
        setwise.load(path)
    assert time.process_time() - start < 2
    assert len(str(error.value).splitlines()) == 1
    assert sorted(path.parent.rglob("*")) == before, "a file or folder was made"


def test_a_cache_folder_beside_the_file_is_not_read(tmp_path):
    """Joblib would unpickle what lies in it."""
    path = save(make_pipeline(StandardScaler(), setwise.ConditionalTree(l2=1.0)), tmp_path)
    forge(path, lambda root: root["parameters"].update(memory=str(tmp_path / "cache")))
    refuses(path, r"Pipeline\.memory is .*; expected None")


def test_a_checkpoint_makes_no_folder(tmp_path):
    path = save(setwise.MixtureOfTrees(2, max_iter=3), tmp_path)
    forge(path, lambda root: root["parameters"].update(checkpoint=str(tmp_path / "made")))
    refuses(path, r"MixtureOfTrees\.checkpoint is .*; expected None")


@pytest.mark.parametrize("fields", [{"X": [[1.0]]}, {"raw_documents": ["/etc/passwd"]}, {}])
def test_nothing_is_fitted(fields, tmp_path):
    path = save(make_pipeline(CountVectorizer(), setwise.BinaryRelevance(l2=1.0)), tmp_path, TEXTS)
    forge(path, lambda root: find(root, "CountVectorizer").update(fit=fields))
    refuses(path, "an entry of the kind 'object' has keys other than")


def test_words_are_not_read_from_files(tmp_path):
    """``input="filename"`` would open what the rows name, when the model predicts."""
    path = save(make_pipeline(CountVectorizer(), setwise.BinaryRelevance(l2=1.0)), tmp_path, TEXTS)
    forge(path, lambda root: find(root, "CountVectorizer")["parameters"].update(input="filename"))
    refuses(path, r"input is 'filename'; expected 'content'")


def test_patterns_that_never_end_are_refused(tmp_path):
    path = save(make_pipeline(CountVectorizer(), setwise.BinaryRelevance(l2=1.0)), tmp_path, TEXTS)
    forge(path, lambda root: find(root, "CountVectorizer")["parameters"].update(token_pattern="^(a+)+$"))
    refuses(path, r"token_pattern is .*; expected")


def test_functions_take_no_further_arguments(tmp_path):
    """``where=False`` made np.square return memory that nobody had written."""
    path = save(make_pipeline(FunctionTransformer(np.square), setwise.ConditionalTree(l2=1.0)), tmp_path)
    arguments = {"$": "dict", "keys": ["where"], "values": [False]}
    forge(path, lambda root: find(root, "FunctionTransformer")["parameters"].update(kw_args=arguments))
    refuses(path, r"kw_args is a dict; expected None")


@pytest.mark.parametrize("name", ["_parameter_constraints", "fit", "__class__", "_distribution", "evil"])
def test_objects_take_no_other_attributes(name, tmp_path):
    path = save(make_pipeline(StandardScaler(), setwise.ConditionalTree(l2=1.0)), tmp_path)
    forge(path, lambda root: find(root, "StandardScaler")["state"].update({name: 1}))
    refuses(path, f"StandardScaler has no attribute '{name}'")


@pytest.mark.parametrize(
    "model",
    [
        setwise.BinaryRelevance(l2=1.0),
        setwise.ConditionalBernoulliMixture(2, tuning=False, max_iter=3, n_init=1),
        setwise.PairwiseCRF(l2=1.0),
        setwise.LabelPowerset(l2=1.0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_coefficients_of_one_feature_are_refused(model, tmp_path):
    """A kernel would multiply by rows that are not there."""
    path = save(model, tmp_path, sparse.csr_array(X))
    rewrite(path, arrays=lambda name, a: a[:1].copy() if a.ndim == 2 and a.shape[0] == 4 else a)
    refuses(path, r"is an array of shape \(1, \d+\); expected \(d=4, ")


def test_trees_of_short_floats_are_refused(tmp_path):
    """The kernel that walks trees would not take them."""
    path = save(
        setwise.ConditionalBernoulliMixture(2, learner="boosting", tuning=False, max_iter=3, random_state=0),
        tmp_path,
    )
    rewrite(path, arrays=lambda name, a: a.astype(np.float32) if a.dtype == np.float64 else a)
    refuses(path, "is an array of float32; expected the type f8")


@pytest.mark.parametrize("cell", [None, "many", {"$": "float", "value": "nan"}])
def test_iterations_that_cannot_be_drawn_are_refused(cell, tmp_path):
    """A report of the model would fail."""
    path = save(setwise.MixtureOfTrees(2, max_iter=3, random_state=0), tmp_path)

    def change(root):
        row = root["state"]["trace_"][0]
        row["values"][row["keys"].index("bound")] = cell

    forge(path, change)
    refuses(path, r"trace_\[0\]\['bound'\]")


def test_couplings_of_another_shape_are_refused(tmp_path):
    """The sampler would read outside them."""
    path = save(setwise.ConditionalDependencyNetwork(l2=1.0), tmp_path)
    rewrite(path, arrays=lambda name, a: a[:1].copy() if a.shape == (3, 3) else a)
    refuses(path, r"scores_\.labels is an array of shape \(1, 3\)")


def test_words_far_outside_the_columns_are_refused(tmp_path):
    """A number of a word is a column: 2e9 ended the process."""
    path = save(make_pipeline(CountVectorizer(), setwise.BinaryRelevance(l2=1.0)), tmp_path, TEXTS)
    words = {"$": "dict", "keys": ["a", "b"], "values": [0, 2_000_000_000]}
    forge(path, lambda root: find(root, "CountVectorizer")["state"].update(vocabulary_=words))
    refuses(path, "the file holds arrays that its model does not use")
    remove_unused_arrays(path)
    refuses(path, r"vocabulary_ is a dict; expected words with the numbers 0, 1, \.\.\.")


def remove_unused_arrays(path):
    """Remove arrays that nothing refers to, and number the others again."""
    parts = members(path)
    manifest = json.loads(parts.pop("manifest.json"))
    used = [node["member"] for node in arrays_of(manifest["model"])]
    number = {name: str(i) for i, name in enumerate(used)}
    for node in arrays_of(manifest["model"]):
        node["member"] = number[node["member"]]
    manifest["members"] = {number[name]: manifest["members"][name] for name in used}
    kept = [(f"{number[name]}.npy", parts[f"{name}.npy"]) for name in used]
    path.write_bytes(pack([*kept, ("manifest.json", json.dumps(manifest).encode())]))


def arrays_of(node):
    if isinstance(node, dict):
        if node.get("$") == "array":
            yield node
        node = list(node.values())
    for item in node if isinstance(node, list) else []:
        yield from arrays_of(item)


def test_classes_without_probability_are_refused(tmp_path):
    """Every answer would be the logarithm of zero over zero."""
    path = save(setwise.BinaryRelevance(GaussianNB()), tmp_path)
    rewrite(path, arrays=lambda name, a: a * 0 if a.dtype.kind == "f" and a.ndim == 1 and a.sum() == 1 else a)
    refuses(path, r"class_prior_ is an array with the sum 0; expected the sum 1")


@pytest.mark.parametrize(
    "model",
    [setwise.ClassifierChain(l2=1.0), setwise.ConditionalDependencyNetwork(l2=1.0), setwise.NaiBX()],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_numbers_that_lead_to_nan_are_refused(model, value, tmp_path):
    path = save(model, tmp_path)
    rewrite(path, arrays=lambda name, a: np.full_like(a, value) if a.dtype.kind == "f" else a)
    refuses(path, r"is (nan|inf|1e\+300); expected a number from")


WRAPPING = {"$": "scalar", "dtype": "<i8", "value": 2**62}
"""Sums and products of such numbers are negative."""


@pytest.mark.parametrize(
    ("model", "where", "value"),
    [
        (setwise.ConditionalDependencyNetwork(l2=1.0), "n_burn_in", 2**62),
        (setwise.ConditionalDependencyNetwork(l2=1.0), "n_gibbs_chains", 2**40),
        (setwise.ConditionalDependencyNetwork(l2=1.0), "n_samples", 2**31),
        (setwise.ConditionalDependencyNetwork(l2=1.0), "n_samples", WRAPPING),
        (setwise.NaiBX(), "smoothing", WRAPPING),
        (setwise.ChainEnsemble(2, l2=1.0), "n_chains", 2**40),
        (setwise.NaiBX(search="beam"), "beam_width", 2**40),
        (setwise.ConformalSets(setwise.BinaryRelevance(l2=1.0), coverage=0.5), "max_sets", 2**40),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_parameters_that_ask_for_endless_work_are_refused(model, where, value, tmp_path):
    path = save(model, tmp_path)
    forge(path, lambda root: root["parameters"].update({where: value}))
    refuses(path, "sweeps|expected|is not the number")


@pytest.mark.parametrize("degree", [10**6, 30, {"$": "tuple", "items": [0, 30]}])
def test_products_of_all_features_are_limited(degree, tmp_path):
    path = save(make_pipeline(PolynomialFeatures(), setwise.ConditionalTree(l2=1.0)), tmp_path)
    forge(path, lambda root: find(root, "PolynomialFeatures")["parameters"].update(degree=degree))
    refuses(path, r"expected|products of features; at most")


@pytest.mark.parametrize("value", [0, -1, 2**31, 2**40, 3, True, None, "4"])
@pytest.mark.parametrize("name", ["n_features_in_", "n_labels_"])
def test_sizes_without_arrays_are_refused(name, value, tmp_path):
    path = save(setwise.BinaryRelevance(l2=1.0), tmp_path)
    if (name, value) == ("n_labels_", 3):
        return
    forge(path, lambda root: root["state"].update({name: value}))
    refuses(path, "expected")


def test_categories_out_of_order_are_refused(tmp_path):
    """They are found by bisection: a wrong place is a column outside the matrix."""
    path = save(make_pipeline(OneHotEncoder(), setwise.BinaryRelevance(l2=1.0)), tmp_path, X.round())
    rewrite(path, arrays=lambda name, a: a[::-1].copy() if a.tolist() == [0, 1, 2] else a)
    refuses(path, r"categories_\[\d\] is not in order")


@pytest.mark.parametrize("names", [["a", "a", "b"], ["n" * 5000, "b", "c"], ["a", None, "b"], ["a", "b"]])
def test_label_names_are_different_and_short(names, tmp_path):
    path = save(setwise.BinaryRelevance(l2=1.0), tmp_path)
    named = {"$": "objects", "shape": [len(names)], "items": names}
    forge(path, lambda root: root["state"].update(label_names_=named))
    refuses(path, r"label_names_ is .*; expected")


def test_a_file_describes_the_model_it_holds(tmp_path):
    path = save(setwise.BinaryRelevance(l2=1.0), tmp_path)
    rewrite(path, manifest=lambda m: m["about"].update(label_names=["cat", "dog", "hen"]))
    refuses(path, "does not match its model: label_names differs")


def test_no_array_is_used_twice(tmp_path):
    path = save(setwise.HeterogeneousFeatures(l2=1.0), tmp_path)

    def share(root):
        first, second = root["state"]["first_"], root["state"]["second_"]
        second["state"]["l2"] = copy.deepcopy(first["state"]["l2"])

    forge(path, share)
    refuses(path, "is used twice; attributes do not share arrays")


def replace_array(path, blob, described):
    parts = members(path)
    manifest = json.loads(parts.pop("manifest.json"))
    parts["0.npy"] = blob
    manifest["members"]["0"] = described
    path.write_bytes(pack([*parts.items(), ("manifest.json", json.dumps(manifest).encode())]))


def test_text_of_any_width_is_refused(tmp_path):
    """Two gigabytes an entry, for an array without entries."""
    path = save(setwise.BinaryRelevance(l2=1.0), tmp_path)
    for width in ("500000000", "9999"):
        replace_array(path, *promise(f"<U{width}", (0,)))
        refuses(path, "of an unknown type|wider than 4096 characters")


def test_empty_arrays_of_any_length_are_refused(tmp_path):
    path = save(setwise.BinaryRelevance(l2=1.0), tmp_path)
    replace_array(path, *promise("<f8", (2**40, 0)))
    refuses(path, "longer than the file itself")


def test_sparse_matrices_of_any_width_are_refused(tmp_path):
    path = save(setwise.MLkNN(), tmp_path, sparse.csr_array(X))
    rows = {"shape": [40, 2**40]}
    forge(path, lambda root: find(root, "NeighbourVotes")["state"]["rows"].update(rows))
    refuses(path, r"rows is an array of shape \(40, 1099511627776\)")


def test_keys_whose_hashes_collide_are_refused(tmp_path):
    """A dictionary of a million such numbers takes hours."""
    path = save(setwise.BinaryRelevance(l2=1.0), tmp_path)
    keys = {"$": "dict", "keys": [(2**61 - 1) * i for i in range(3)], "values": [0, 0, 0]}
    forge(path, lambda root: root["state"].update(evil=keys))
    refuses(path, "neither text nor a small whole number")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*-v1.setwise")), ids=lambda path: path.stem)
def test_files_of_the_first_format_pass_the_same_checks(path, tmp_path):
    forged = tmp_path / "model.setwise"
    tricks = {
        "has no attribute": lambda node: node.setdefault("state", {}).update(evil=1),
        "has keys other than": lambda node: node.update(fit={"X": [[1.0]]}),
        "expected a number from": None,
        r"is a os\.system; expected": lambda node: node.update({"class": "os.system"}),
    }
    for message, trick in tricks.items():
        forged.write_bytes(path.read_bytes())
        if trick is None:
            rewrite(forged, arrays=lambda name, a: np.full_like(a, np.nan) if a.dtype.kind == "f" else a)
        else:
            forge(forged, lambda root, trick=trick: trick(list(objects(root))[-1]))
        refuses(forged, message)


def test_what_belongs_to_the_machine_is_not_stored(tmp_path):
    """Where files are kept and how many processes run is not for a file to say."""
    model = setwise.MixtureOfTrees(2, max_iter=3, checkpoint=tmp_path / "steps", random_state=0)
    pipeline = make_pipeline(StandardScaler(), model, memory=str(tmp_path / "cache"))
    loaded = setwise.load(save(pipeline, tmp_path))
    assert loaded.memory is None
    assert loaded[-1].checkpoint is None


def test_copies_of_copies_of_columns_are_refused(tmp_path):
    """A thousand times a thousand copies of the columns are a few lines of JSON."""
    union = FeatureUnion([("a", "passthrough"), ("b", MinMaxScaler())])
    path = save(make_pipeline(union, setwise.ConditionalTree(l2=1.0)), tmp_path)

    def multiply(root):
        node = find(root, "FeatureUnion")
        copies = [{"$": "tuple", "items": [f"c{i}", "passthrough"]} for i in range(900)]
        node["parameters"]["transformer_list"] += copies
        inner = {"$": "tuple", "items": ["again", copy.deepcopy(node)]}
        inner["items"][1]["parameters"]["transformer_list"] = copies
        root["parameters"]["steps"].insert(1, inner)
        root["parameters"]["steps"].insert(
            1, {"$": "tuple", "items": ["more", copy.deepcopy(inner["items"][1])]}
        )

    forge(path, multiply)
    refuses(path, r"FeatureUnion makes \d+ columns; at most 262144 are allowed")


def test_constraints_on_very_many_pairs_are_refused(tmp_path):
    path = save(
        setwise.ConditionalTree(l2=1.0, decision=Constrained("subset", exclusive=[["0", "1"]])), tmp_path
    )
    groups = {"exclusive": [["0", "1", "2"] * 1000]}
    forge(path, lambda root: root["parameters"]["decision"]["state"].update(groups))
    refuses(path, "4498500 pairs of labels; at most 8192 are stored")


def test_searches_through_all_sets_of_many_labels_are_refused(tmp_path):
    labels = RNG.integers(0, 2, size=(40, 20))
    path = tmp_path / "model.setwise"
    setwise.save(setwise.ClassifierChain(l2=1.0).fit(X, labels), path)
    forge(path, lambda root: root["parameters"].update(search="exhaustive"))
    refuses(path, r"search='exhaustive' lists 2\^20 sets")


def test_leaves_of_almost_no_weight_are_refused(tmp_path):
    """Shares of sets were infinite, and explanations NaN."""
    path = save(setwise.DecisionForest(2, max_features="sqrt", random_state=0), tmp_path)
    weight = setwise.load(path).forest_.trees.weight
    rewrite(path, arrays=lambda name, a: np.full_like(a, 5e-324) if np.array_equal(a, weight) else a)
    refuses(path, r"trees\.weight is 5e-324; expected a number from")


@pytest.mark.parametrize("fitted", [False, True])
def test_nested_estimators_are_checked_once(fitted, tmp_path):
    """Each level was tried as one thing, then as another: thirty levels took hours."""
    path = save(setwise.CalibratedSets(setwise.BinaryRelevance(l2=1.0), cv=2), tmp_path)

    def nest(root):
        inner = root["parameters"]["estimator"]
        inner["parameters"]["l2"] = "evil" * 50
        for _ in range(25):
            state = {"n_labels_": 3} if fitted else {}
            inner = {**root, "parameters": {**root["parameters"], "estimator": inner}, "state": state}
        root["parameters"]["estimator"] = inner

    forge(path, nest)
    refuses(path, r"(CalibratedSets\.estimator|(\.estimator)+\.l2) is |nested too deeply")


def chain_of_nodes(n_nodes, n_trees):
    """Attributes of trees whose nodes are all on one way, which every tree would walk to its end."""
    feature = np.append(np.zeros(n_nodes - 1, np.int32), np.int32(-1))
    after = np.append(np.arange(1, n_nodes), -1).astype(np.int32)
    return feature, after, np.arange(n_trees, dtype=np.int32)


def test_trees_do_not_walk_through_the_nodes_of_others():
    """A file of a megabyte took minutes for a row: a hundred thousand trees that share the rest of one way."""
    n_nodes = 1000
    feature, after, root = chain_of_nodes(n_nodes, n_nodes // 2)
    values = np.zeros(n_nodes)
    trees = TreeScores(np.zeros(1), feature, values, after, after, values, root, np.zeros_like(root))
    assert not trees.is_sound(1)
    assert trees._replace(root=root[:1], score=root[:1]).is_sound(1)


def test_trees_of_sets_have_nodes_and_members_of_their_own():
    """Thousands of roots at one node, or leaves with the members of others, took time that no array paid for."""
    model = setwise.DecisionForest(2, max_features="sqrt", leaf_size=1.0, random_state=0).fit(X, Y)
    trees, n_sets = model.forest_.trees, len(model.forest_.sets)
    assert trees.is_sound(4, n_sets)
    for change in (
        {"root": np.zeros(3000, np.int32)},
        {"end": np.full_like(trees.end, len(trees.member))},
        {"begin": np.zeros_like(trees.begin)},
        {"weight": np.full_like(trees.weight, 1e-9)},
        {"left": np.where(trees.left < 0, trees.left, len(trees.left) - 2).astype(np.int32)},
    ):
        assert not trees._replace(**change).is_sound(4, n_sets), change.keys()


def test_halves_of_characters_are_refused(tmp_path):
    """They cannot be printed or written anywhere."""
    path = save(setwise.BinaryRelevance(l2=1.0), tmp_path)
    named = {"$": "objects", "shape": [3], "items": ["\ud800", "b", "c"]}
    forge(path, lambda root: root["state"].update(label_names_=named))
    refuses(path, "label_names_ is not a name")
