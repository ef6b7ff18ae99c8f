"""Run benchmarks: ``python -m bench [NAME …]``. Speed is told as ratios in one run."""

import importlib
import pkgutil
import sys

import bench


def main() -> None:
    modules = pkgutil.iter_modules(bench.__path__)
    known = sorted(module.name for module in modules if module.name[0] != "_")
    asked, sys.argv = sys.argv[1:] or known, sys.argv[:1]
    for name in (each.replace("-", "_") for each in asked):
        if name not in known:
            sys.exit(f"no benchmark {name!r}; known: {', '.join(known)}")
        print(f"\n## {name}\n", flush=True)
        importlib.import_module(f"bench.{name}").main()


if __name__ == "__main__":
    main()
