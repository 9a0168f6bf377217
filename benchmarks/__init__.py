"""Measurements that print ratios; times of their own mean little on a shared machine."""

import os

# Waiting BLAS threads would count as processor time, and one thread is what a busy server gives.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
