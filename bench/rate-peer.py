#!/usr/bin/python3
"""Plain restatement of the published formula with numpy and scipy.

Bradley-Terry by L-BFGS on weighted pairs as in FastChat's rating_systems
(ties half a win each), and the sandwich of arena-hard/arena-rank.  Written
for bench/rate-bench; prints nothing but the ratings.
"""
import csv
import sys

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

names, rows = {}, []
with open(sys.argv[1], newline="") as f:
    for r in csv.DictReader(f):
        a = names.setdefault(r["model_a"], len(names))
        b = names.setdefault(r["model_b"], len(names))
        w = r["winner"]
        rows.append((a, b, 1.0 if w == "model_a" else
                     0.0 if w == "model_b" else 0.5))
rows = np.array(rows)
u, count = np.unique(rows, axis=0, return_counts=True)
i, j, y, w = u[:, 0].astype(int), u[:, 1].astype(int), u[:, 2], count
n = len(names)


def loss(theta):
    p = expit(theta[i] - theta[j])
    g = w * (p - y)
    grad = np.bincount(i, g, n) - np.bincount(j, g, n)
    ll = y * np.log(p) + (1 - y) * np.log1p(-p)
    return -(w * ll).sum(), grad


theta = minimize(loss, np.zeros(n), jac=True, method="L-BFGS-B",
                 options={"maxiter": 500, "ftol": 1e-14, "gtol": 1e-6}).x
theta -= theta.mean()
p = expit(theta[i] - theta[j])
h, b = np.zeros((n, n)), np.zeros((n, n))
for m, v in ((h, w * p * (1 - p)), (b, w * (y - p) ** 2)):
    np.add.at(m, (i, i), v)
    np.add.at(m, (j, j), v)
    np.add.at(m, (i, j), -v)
    np.add.at(m, (j, i), -v)
x = np.linalg.pinv(h)
se = np.sqrt(np.diag(x @ b @ x))
for name, k in names.items():
    print(name, 1500 + theta[k] * 400 / np.log(10), se[k] * 400 / np.log(10))
