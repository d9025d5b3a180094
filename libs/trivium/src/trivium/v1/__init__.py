"""Generated from proto/trivium/v1 by proto/compile.sh; do not edit."""
