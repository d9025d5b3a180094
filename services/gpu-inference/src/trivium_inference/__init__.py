"""Inference: the engines that embed, rerank and read images."""
