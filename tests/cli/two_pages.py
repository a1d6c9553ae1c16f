# SPDX-License-Identifier: Apache-2.0
"""Prints a PDF of two empty pages of 200x100."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "render"))
from pdf_kit import document  # noqa: E402

sys.stdout.buffer.write(document("", "", box="0 0 200 100").bytes())
