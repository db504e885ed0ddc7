"""Makes the file of the current format version that the tests keep: ``python -m tests.persistence.keep``."""

import json
from pathlib import Path

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, QuantileTransformer, StandardScaler

import setwise
from setwise.persistence.model_file import FORMAT_VERSION

FOLDER = Path(__file__).parent / "kept"


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)).round(3)
    Y = (X[:, [0, 0, 1]] + rng.normal(size=(80, 3)) > 0).astype(int)
    models = {
        "tree": make_pipeline(StandardScaler(), setwise.ConditionalTree(l2=1.0)),
        "naibx": setwise.NaiBX(),
        "neighbours": setwise.MLkNN(),
        "boosted": setwise.ConditionalBernoulliMixture(
            2, learner="boosting", tuning=False, max_iter=3, n_init=1, random_state=0
        ),
        "calibrated": setwise.CalibratedSets(setwise.BinaryRelevance(l2=1.0), method="isotonic", cv=2),
        "learners": make_pipeline(
            ColumnTransformer(
                [("a", PolynomialFeatures(), [0, 2])], remainder=QuantileTransformer(n_quantiles=10)
            ),
            setwise.ClassifierChain(LogisticRegression()),
        ),
    }
    for name, model in models.items():
        path = FOLDER / f"{name}-v{FORMAT_VERSION}.setwise"
        if path.exists():
            raise SystemExit(f"{path} is kept for ever; raise FORMAT_VERSION to keep another")
        setwise.save(model.fit(X, Y), path, notes={"kept": True})
        answers = {"X": X[:5].tolist(), "predict": model.predict(X[:5]).tolist()}
        answers["predict_proba"] = model.predict_proba(X[:5]).tolist()
        path.with_suffix(".json").write_text(json.dumps(answers) + "\n")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    main()
