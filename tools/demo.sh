#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The main job on the sample picture: seen, zoomed, refused. Called by `make demo` with the built program.
set -eu
fovea=$1
cd "$(dirname "$0")/.."

say() { printf '\n\033[1m%s\033[0m\n' "$*" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[0-9;]*m//g'; fi; }

say '$ fovea view data/sample.png'
"$fovea" view data/sample.png

say '$ fovea view data/sample.png --json --model claude-opus-4-7      # what an agent gets, less the pixels'
"$fovea" view data/sample.png --json --model claude-opus-4-7

say '$ fovea view data/sample.png --region 0,0,400,250    # zoom: pixel for pixel'
"$fovea" view data/sample.png --region 0,0,400,250

say '$ fovea view README.md          # Markdown, PDF, SVG, code and videos become pixels too'
"$fovea" view README.md

say '$ fovea view LICENSE.png        # a refusal says what to do'
"$fovea" view LICENSE.png || true

say 'Plug it into an agent'
cat <<TXT
  an agent (claude, codex, gemini, opencode, copilot, qwen, cline, vscode, zed), over MCP:
      $fovea setup claude            prints what to add; with --write, adds it
  any script or agent that can run a command:
      $fovea call view '{"path": "data/sample.png"}' --data
  a C program:
      make install, then cc view.c \$(pkg-config --cflags --libs fovea)      (examples/view.c)
  is this machine ready?
      $fovea doctor
TXT
