"""The Open Inference Protocol, version 2: tensors in, tensors out."""
