"""Who may include whom, checked on the text of the sources: docs/architecture.md has the reasons."""

import re

# Arrows of the module table: what a folder below src/ may include besides itself.
BELOW_AGENT = {"base", "model", "cache", "discovery", "observe", "patcher", "reconciler"}
MAY_INCLUDE = {
    "base": set(),
    "model": {"base"},
    "cache": {"base", "model"},
    "discovery": {"base", "model"},
    "explain": {"base", "model", "cache"},
    "observe": {"base", "model"},
    "patcher": {"base", "model"},
    "reconciler": {"base", "model"},
    "agent": BELOW_AGENT,
    "sim/driver": {"base", "model"},
    "sim/api_server": {"base", "model"},
    "cli": BELOW_AGENT | {"agent", "explain", "sim/driver", "sim/api_server"},
    "main.cpp": {"cli"},
}

# Libraries that stay inside the modules that own them: others include no header that brings them in.
OWNERS = {
    "SQLite": (r"sqlite3\.h", {"cache"}),
    "gRPC": (r"grpc(pp)?/.*|.*\.grpc\.pb\.h", {"discovery", "sim/driver"}),
    "protobuf": (r"google/protobuf/.*|.*\.pb\.h", {"discovery", "sim/driver"}),
    "cpprestsdk": (r"(cpprest|pplx)/.*", {"patcher", "sim/api_server"}),
    "Boost.Beast": (r"boost/beast.*", {"observe"}),
    "prometheus-cpp": (r"prometheus/.*", {"observe"}),
}
# It asks each library for its version.
LIBRARY_VERSIONS = "src/cli/library_versions.cpp"

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def module_of(path):
    """The module of src/cache/store.h is cache; other files have none."""
    for module in MAY_INCLUDE:
        if path == f"src/{module}" or path.startswith(f"src/{module}/"):
            return module
    return None


def includes(files, path):
    return INCLUDE.findall(files[path])


def libraries_in(files, path, seen=()):
    """The owned libraries that including `path` brings in, directly or through our own headers."""
    found = set()
    for name in includes(files, path):
        found |= {lib for lib, (pattern, _) in OWNERS.items() if re.fullmatch(pattern, name)}
        ours = f"src/{name}"
        if ours in files and ours not in seen:
            found |= libraries_in(files, ours, (*seen, path))
    return found


def wrong_includes(files):
    """`files` maps paths to texts. Returns a sentence for each include that breaks a rule."""
    wrong = []
    for path in sorted(files):
        module = module_of(path)
        if path.startswith("src/") and module is None:
            wrong.append(f"{path} belongs to no module of the table")
        if module is None:
            continue
        for name in includes(files, path):
            for library, (pattern, owners) in OWNERS.items():
                if re.fullmatch(pattern, name) and module not in owners and path != LIBRARY_VERSIONS:
                    wrong.append(f"{path} includes {name}: {library} belongs to {sorted(owners)}")
            target = module_of(f"src/{name}")
            if target in (None, module):
                continue
            if target not in MAY_INCLUDE[module]:
                wrong.append(f"{path} includes {name}: {module} must not know {target}")
            if f"src/{name}" in files:
                wrong += [
                    f"{path} includes {name}, which brings in {library}"
                    for library in sorted(libraries_in(files, f"src/{name}"))
                ]
    return wrong


def uncompiled(sources, compiled):
    """The sources that no target of the build compiles: tests left out of the build never fail."""
    return [f"{path} is compiled by no target" for path in sorted(set(sources) - set(compiled))]
