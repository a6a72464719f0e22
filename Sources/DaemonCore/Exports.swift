// The daemon is a session whose messages go to a broker, and some services beside it.
@_exported public import FaceMessages
@_exported public import FacetKit
@_exported public import MQTT
@_exported public import ServiceLifecycle
@_exported public import SettingsFiles
