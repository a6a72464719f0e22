// The companion's page.
@_exported public import Companion
