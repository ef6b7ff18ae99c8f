"""The verbs: a request in, a result out, whoever calls.

Command line, library, web page and HTTP call the same functions. A verb takes one
request, or the same as keyword arguments, and a `Watch`; `Result.to_json` is what
``--json`` prints.
"""
