"""Fitted models that compute without setwise: one page that answers by itself, or an ONNX graph."""

from setwise.web.standalone.onnx_model import to_onnx
from setwise.web.standalone.page import export_page

__all__ = ["export_page", "to_onnx"]
