// This module contains the companion's commands for clips and pictures.
@_exported public import Companion
@_exported public import MediaFiles
