// What commands follow: messages from a broker or a session, and what is drawn of them.
@_exported public import FaceMessages
@_exported public import FacetKit
@_exported public import MQTT
@_exported public import OverlayRendering
@_exported public import TerminalPictures
