"""Unpack the Milvus that its PyPI package carries into a folder and write its configuration there.

Usage: milvus_config.py FOLDER PORT, with the interpreter of the environment that `milvus` is installed in.
"""

import sys

import milvus

folder, port = sys.argv[1], int(sys.argv[2])
config = milvus.MilvusServerConfig()
config.update(data_dir=folder, proxy_port=port)
config.resolve()
milvus._initialize_data_files(folder)
