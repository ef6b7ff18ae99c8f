"""Recompute ``directional_range.json`` with 50 digits (run this file).

Closed forms, with z = (n + i kappa) / 2, nu = n / 2 - 1 and L = ln Gamma:
  purkayastha.log_angular_integral
      ln pi - kappa pi / 2 + L(n - 1) - (n - 2) ln 2 - 2 Re L(z)
  purkayastha.mean_angle    pi / 2 - Im psi(z)
  purkayastha.var_angle     Re psi1(z) / 2
  purkayastha.mean_cos      kappa / 2 exp(2 Re (L(z) - L(z + 1/2)))
  vmf.log_density_constant  nu ln kappa - (nu + 1) ln 2 pi - ln I_nu(kappa)
  vmf.mean_cos              I_{nu+1}(kappa) / I_nu(kappa)
"""

import json
from pathlib import Path

import mpmath as mp

mp.mp.dps = 50
TERMS = 10**8
DIMENSIONS = (2, 3, 4, 7, 100, 1001, 10_000)
KAPPAS = ("1e-6", "0.01", "1", "33", "1000", "1e6")


def purkayastha(n: int, kappa: mp.mpf) -> dict[str, mp.mpf]:
    z = mp.mpc(mp.mpf(n) / 2, kappa / 2)
    gamma = mp.re(mp.loggamma(z))
    step = mp.re(mp.loggamma(z + mp.mpf(1) / 2))
    total = mp.log(mp.pi) - kappa * mp.pi / 2 + mp.loggamma(n - 1)
    return {
        "purkayastha.log_angular_integral": total - (n - 2) * mp.log(2) - 2 * gamma,
        "purkayastha.mean_angle": mp.pi / 2 - mp.im(mp.psi(0, z)),
        "purkayastha.var_angle": mp.re(mp.psi(1, z)) / 2,
        "purkayastha.mean_cos": kappa / 2 * mp.exp(2 * (gamma - step)),
    }


def vmf(n: int, kappa: mp.mpf) -> dict[str, mp.mpf]:
    order = mp.mpf(n) / 2 - 1
    bessel = mp.besseli(order, kappa, maxterms=TERMS)
    following = mp.besseli(order + 1, kappa, maxterms=TERMS)
    constant = order * mp.log(kappa) - (order + 1) * mp.log(2 * mp.pi)
    return {
        "vmf.log_density_constant": constant - mp.log(bessel),
        "vmf.mean_cos": following / bessel,
    }


def main() -> None:
    rows = [
        {"quantity": name, "n": n, "kappa": kappa, "value": mp.nstr(value, 25)}
        for n in DIMENSIONS
        for kappa in KAPPAS
        for law in (purkayastha, vmf)
        for name, value in law(n, mp.mpf(kappa)).items()
    ]
    lines = ",\n".join(json.dumps(row) for row in rows)
    Path(__file__).with_name("directional_range.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
