import pytest

from tests.learning.trees.boosting_data import GROWERS


@pytest.fixture(params=GROWERS)
def make_grower(request):
    if request.param == "lightgbm":
        pytest.importorskip("lightgbm", reason="lightgbm is not installed")
    return GROWERS[request.param]
