// What commands build on: messages from a broker or a local session, and drawing.
@_exported public import FaceMessages
@_exported public import FacetKit
@_exported public import Foundation
@_exported public import MQTT
@_exported public import OverlayRendering
@_exported public import TerminalPictures
