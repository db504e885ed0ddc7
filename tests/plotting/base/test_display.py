"""What holds for every display: any number of labels, any names, any axes."""

import builtins
import xml.etree.ElementTree as ElementTree

import matplotlib as mpl
import pytest
from matplotlib import pyplot

from setwise import plotting
from setwise.plotting import TreeDisplay
from tests.plotting.gallery import KINDS, gallery


@pytest.mark.parametrize("kind", KINDS)
def test_on_new_axes_and_on_given_ones(kind):
    """Red if a display ignores ``ax``, or opens a figure although it was given one."""
    display = gallery(6)[kind].plot()
    assert display.figure_ is display.ax_.get_figure()
    figure, (left, right) = pyplot.subplots(1, 2)
    opened = pyplot.get_fignums()
    again = gallery(6)[kind].plot(ax=right)
    assert again.ax_ is right
    assert again.figure_ is figure
    assert not left.has_data()
    assert pyplot.get_fignums() == opened


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_labels", [1, 2, 6, 100])
def test_any_number_of_labels_and_any_names(kind, n_labels):
    """Red if a name is taken as markup, or breaks the image: it must be well-formed, without scripts."""
    display = gallery(n_labels)[kind]
    root = ElementTree.fromstring(display.to_svg())
    tags = {element.tag.split("}")[-1] for element in root.iter()}
    assert tags.isdisjoint({"script", "foreignObject", "a"})
    width, height = display.size()
    assert 1 < width < 40
    assert 1 < height < 40


@pytest.mark.parametrize(
    "kind", ["tree", "components", "correlation", "label_scores", "top_sets", "label_errors"]
)
def test_names_are_shown_as_text(kind):
    """Red if dollar signs make a formula (they would vanish) or a name is dropped from the figure."""
    root = ElementTree.fromstring(gallery(6)[kind].to_svg())
    shown = " ".join("".join(element.itertext()) for element in root.iter() if element.tag.endswith("}text"))
    assert "<script>alert(" in shown
    assert "price in $ and $x^2$" in shown


def test_an_image_changes_no_setting_and_opens_no_figure():
    before = dict(mpl.rcParams)
    gallery(6)["tree"].to_svg()
    assert dict(mpl.rcParams) == before
    assert not pyplot.get_fignums()


def test_equal_displays_give_equal_images():
    assert gallery(6)["correlation"].to_svg() == gallery(6)["correlation"].to_svg()


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def missing(name, *rest):
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ImportError, match=r"setwise\[plot\]"):
        TreeDisplay([-1, 0]).plot()


def test_every_display_is_in_the_gallery():
    """Red if a new display is exported without the checks above."""
    shown = {type(display).__name__ for display in gallery(3).values()}
    assert shown == set(plotting.__all__) - {"Display"}
