import CV4L2
import Frames
import SystemPackage

extension V4L2Device {
    /// Drivers that never stop listing exist; no real camera has that many of anything.
    private static let mostEntries: UInt32 = 256

    /// All formats with their sizes and rates; for a range of sizes the rates at the size nearest to `focus`.
    func formats(focus: FrameSize) throws(V4L2Error) -> [CameraFormat] {
        var formats: [CameraFormat] = []
        for index in 0..<Self.mostEntries {
            var entry = v4l2_fmtdesc()
            entry.index = index
            entry.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
            guard try listed(.enumerateFormats, &entry) else { break }
            let fourCC = FourCC(rawValue: entry.pixelformat)
            formats.append(
                CameraFormat(
                    fourCC: fourCC,
                    name: cString(entry.description),
                    isEmulated: entry.flags & UInt32(V4L2_FMT_FLAG_EMULATED) != 0,
                    sizes: try sizes(of: fourCC, focus)
                )
            )
        }
        return formats
    }

    private func sizes(of format: FourCC, _ focus: FrameSize) throws(V4L2Error) -> [CameraSize] {
        var sizes: [CameraSize] = []
        for index in 0..<Self.mostEntries {
            var entry = v4l2_frmsizeenum()
            entry.index = index
            entry.pixel_format = format.rawValue
            guard try listed(.enumerateSizes, &entry) else { break }
            if entry.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue {
                let size = FrameSize(width: Int(entry.discrete.width), height: Int(entry.discrete.height))
                sizes.append(CameraSize(size, rates: try rates(of: format, at: size)))
                continue
            }
            let range = entry.stepwise
            var size = CameraSize(
                minimum: FrameSize(width: Int(range.min_width), height: Int(range.min_height)),
                maximum: FrameSize(width: Int(range.max_width), height: Int(range.max_height)),
                step: FrameSize(width: Int(range.step_width), height: Int(range.step_height)),
                rates: []
            )
            size.rates = try rates(of: format, at: size.nearest(to: focus))
            return [size]
        }
        return sizes
    }

    private func rates(of format: FourCC, at size: FrameSize) throws(V4L2Error) -> [ClosedRange<Double>] {
        var rates: [ClosedRange<Double>] = []
        for index in 0..<Self.mostEntries {
            var entry = v4l2_frmivalenum()
            entry.index = index
            entry.pixel_format = format.rawValue
            entry.width = UInt32(size.width)
            entry.height = UInt32(size.height)
            guard try listed(.enumerateIntervals, &entry) else { break }
            if entry.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue {
                if let rate = entry.discrete.rate, !rates.contains(rate...rate) { rates.append(rate...rate) }
                continue
            }
            // The longest interval is the lowest rate.
            if let fastest = entry.stepwise.min.rate, let slowest = entry.stepwise.max.rate {
                rates.append(min(slowest, fastest)...max(slowest, fastest))
            }
            break
        }
        return rates
    }

    /// Fetches one entry of a list; false at its end, or if the driver has no such list.
    private func listed<Entry>(_ request: V4L2Request, _ entry: inout Entry) throws(V4L2Error) -> Bool {
        do {
            try plainRequest(request, &entry)
            return true
        } catch Errno.invalidArgument, Errno.inappropriateIOCTLForDevice {
            return false
        } catch {
            throw V4L2Error(.enumerate, device: path, error)
        }
    }

    /// Sets pixel format and size.
    ///
    /// - Returns: what the driver made of it.
    func setFormat(_ mode: CaptureMode) throws(V4L2Error) -> v4l2_pix_format {
        var format = v4l2_format()
        format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        format.fmt.pix.width = UInt32(mode.size.width)
        format.fmt.pix.height = UInt32(mode.size.height)
        format.fmt.pix.pixelformat = mode.format.rawValue
        format.fmt.pix.field = V4L2_FIELD_NONE.rawValue
        try request(.setFormat, &format, for: .setFormat)
        return format.fmt.pix
    }

    /// Sets the frame rate.
    ///
    /// - Returns: the rate that the driver says it will use; nil if it has no notion of rates.
    func setRate(_ rate: Double?) throws(V4L2Error) -> Double? {
        var parameters = v4l2_streamparm()
        parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        do {
            try plainRequest(.getParameters, &parameters)
        } catch Errno.invalidArgument, Errno.inappropriateIOCTLForDevice {
            return nil
        } catch {
            throw V4L2Error(.setRate, device: path, error)
        }
        guard let rate, parameters.parm.capture.capability & UInt32(V4L2_CAP_TIMEPERFRAME) != 0 else {
            return parameters.parm.capture.timeperframe.rate
        }
        // In thousandths, so that 29.97 stays what it is.
        parameters.parm.capture.timeperframe = v4l2_fract(
            numerator: 1000,
            denominator: UInt32((rate * 1000).rounded())
        )
        try request(.setParameters, &parameters, for: .setRate)
        return parameters.parm.capture.timeperframe.rate
    }
}

extension v4l2_fract {
    /// Frames per second, if this is the time between two; nil for nonsense.
    fileprivate var rate: Double? {
        numerator > 0 && denominator > 0 ? Double(denominator) / Double(numerator) : nil
    }
}
