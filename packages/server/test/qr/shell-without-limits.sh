#!/bin/sh
# A shell whose ulimit knows nothing: `sh -c script name arguments…`.
shift
script=$1
shift 2
ulimit() { echo 'ulimit: unknown' >&2; return 2; }
eval "$script"
