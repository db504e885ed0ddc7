"""``setwise export``: a fitted model as one page that computes by itself."""

from setwise.web.standalone.page import export_page

__all__ = ["export_page"]
