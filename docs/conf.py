"""The site (``make docs``): all Markdown pages of the project, so that links work here and in a checkout."""

import os
import sys
import warnings
from pathlib import Path

import setwise

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from docs.tools.class_page import inherited_links, own_methods  # noqa: E402

project = "setwise"
author = "The setwise developers"
copyright = f"2026, {author}"
# Between two releases the site is "dev", as the list of versions calls it.
version = release = "dev" if ".dev" in setwise.__version__ else setwise.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "docs.tools.mathml",
    "docs.tools.site",
]
root_doc = "docs/index"
include_patterns = ["docs/**", "benchmarks/**.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
# Introductions of the pages of the papers are parts of these pages.
exclude_patterns = [
    "**/README.md",
    "**/*.intro.md",
    "docs/_templates/**",
    "docs/tools/**",
    "docs/drawings/**",
]
# Absolute, since autosummary would look for it in the root of the project.
templates_path = [str(ROOT / "docs" / "_templates")]
nitpicky = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = ["config.cache"]

autosummary_generate = True
autosummary_context = {"inherited_links": inherited_links, "own_methods": own_methods}
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_validation_checks: set[str] = set()

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": ["examples"],
    "gallery_dirs": ["docs/gallery"],
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "remove_config_comments": True,
    "download_all_examples": False,
    "abort_on_example_error": True,
    "plot_gallery": True,
    "show_memory": False,
    # Its page would load scripts from other sites.
    "write_computation_times": False,
    "show_signature": False,
    "min_reported_time": 20,
    "matplotlib_animations": False,
    "reset_modules": ("matplotlib", "docs.tools.site.use_style"),
    "backreferences_dir": "docs/gallery/backreferences",
    "doc_module": ("setwise",),
    "image_srcset": ["2x"],
}

html_theme = "pydata_sphinx_theme"
html_title = "setwise"
html_context = {"default_mode": "auto"}
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {"docs/index": [], "docs/gallery/index": [], "docs/try_it": []}
html_theme_options: dict[str, object] = {
    "show_prev_next": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "logo": {"text": "setwise"},
    "secondary_sidebar_items": {
        "**": ["page-toc"],  # the last match counts
        "docs/index": [],
        "docs/gallery/index": [],
        "docs/try_it": [],
    },
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
# A published site has all versions side by side, and a list of them that this address leads to.
if site_url := os.environ.get("SETWISE_SITE_URL"):
    html_baseurl = f"{site_url}/{version}/"
    html_theme_options |= {
        "switcher": {"json_url": f"{site_url}/switcher.json", "version_match": version},
        "check_switcher": False,
        "navbar_start": ["navbar-logo", "version-switcher"],
    }

warnings.filterwarnings("ignore", message=".*Agg.*cannot show the figure.*")
