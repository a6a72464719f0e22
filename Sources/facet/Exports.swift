// Commands parse with ArgumentParser, and call what draws, serves and follows.
@_exported public import ArgumentParser
@_exported public import ClipDrawing
@_exported public import LivePage
