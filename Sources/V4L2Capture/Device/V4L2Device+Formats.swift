import CV4L2
import System

extension V4L2Device {
    /// The maximum number of entries of a driver's list, since some drivers never end their lists.
    private static let mostEntries: UInt32 = 256

    /// All formats with their sizes and rates. The rates for a range of sizes are those of the size nearest to `focus`.
    func formats(focus: FrameSize) throws(V4L2Error) -> [CameraFormat] {
        var kind = v4l2_fmtdesc()
        kind.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        return try entries(.enumerateFormats, of: kind, \.index).map { entry throws(V4L2Error) in
            let fourCC = FourCC(rawValue: entry.pixelformat)
            let name = cString(entry.description)
            let isEmulated = entry.flags & UInt32(V4L2_FMT_FLAG_EMULATED) != 0
            return CameraFormat(fourCC: fourCC, name: name, isEmulated: isEmulated, sizes: try sizes(of: fourCC, focus))
        }
    }

    private func sizes(of format: FourCC, _ focus: FrameSize) throws(V4L2Error) -> [CameraSize] {
        var kind = v4l2_frmsizeenum()
        kind.pixel_format = format.rawValue
        let isRange = { (entry: v4l2_frmsizeenum) in entry.type != V4L2_FRMSIZE_TYPE_DISCRETE.rawValue }
        return try entries(.enumerateSizes, of: kind, \.index, endsWith: isRange).map { entry throws(V4L2Error) in
            guard isRange(entry) else {
                let size = FrameSize(width: Int(entry.discrete.width), height: Int(entry.discrete.height))
                return CameraSize(size, rates: try rates(of: format, at: size))
            }
            let range = entry.stepwise
            let minimum = FrameSize(width: Int(range.min_width), height: Int(range.min_height))
            let maximum = FrameSize(width: Int(range.max_width), height: Int(range.max_height))
            let step = FrameSize(width: max(1, Int(range.step_width)), height: max(1, Int(range.step_height)))
            var size = CameraSize(minimum: minimum, maximum: maximum, step: step, rates: [])
            size.rates = try rates(of: format, at: size.nearest(to: focus))
            return size
        }
    }

    private func rates(of format: FourCC, at size: FrameSize) throws(V4L2Error) -> [ClosedRange<Double>] {
        var kind = v4l2_frmivalenum()
        kind.pixel_format = format.rawValue
        kind.width = UInt32(size.width)
        kind.height = UInt32(size.height)
        let isRange = { (entry: v4l2_frmivalenum) in entry.type != V4L2_FRMIVAL_TYPE_DISCRETE.rawValue }
        var rates: [ClosedRange<Double>] = []
        for entry in try entries(.enumerateIntervals, of: kind, \.index, endsWith: isRange) {
            // The longest interval of a range is the lowest rate.
            let (one, other) =
                isRange(entry)
                ? (entry.stepwise.max.rate, entry.stepwise.min.rate) : (entry.discrete.rate, entry.discrete.rate)
            guard let one, let other, !rates.contains(min(one, other)...max(one, other)) else { continue }
            rates.append(min(one, other)...max(one, other))
        }
        return rates
    }

    /// Fetches a list entry by entry, until the driver has no more or `isLast` is true for an entry.
    private func entries<Entry>(
        _ request: V4L2Request,
        of kind: Entry,
        _ index: WritableKeyPath<Entry, UInt32>,
        endsWith isLast: (Entry) -> Bool = { _ in false }
    ) throws(V4L2Error) -> [Entry] {
        var entries: [Entry] = []
        for number in 0..<Self.mostEntries {
            var entry = kind
            entry[keyPath: index] = number
            guard try self.request(request, &entry, for: .enumerate, refusals: Self.lacking) else { break }
            entries.append(entry)
            if isLast(entry) { break }
        }
        return entries
    }

    /// Sets the pixel format and the size; returns the format that the driver chose.
    func setFormat(
        _ fourCC: FourCC,
        _ size: FrameSize,
        of type: v4l2_buf_type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
        colorspace: v4l2_colorspace = V4L2_COLORSPACE_DEFAULT
    ) throws(V4L2Error) -> v4l2_pix_format {
        var format = v4l2_format()
        format.type = type.rawValue
        format.fmt.pix.width = UInt32(size.width)
        format.fmt.pix.height = UInt32(size.height)
        format.fmt.pix.pixelformat = fourCC.rawValue
        format.fmt.pix.field = V4L2_FIELD_NONE.rawValue
        format.fmt.pix.colorspace = colorspace.rawValue
        try request(.setFormat, &format, for: .setFormat)
        return format.fmt.pix
    }

    /// Sets the frame rate unless it is nil; returns the driver's rate, or nil if the driver knows no rates.
    func setRate(_ rate: Double?) throws(V4L2Error) -> Double? {
        var parameters = v4l2_streamparm()
        parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        guard try request(.getParameters, &parameters, for: .setRate, refusals: Self.lacking) else { return nil }
        guard let rate, parameters.parm.capture.capability & UInt32(V4L2_CAP_TIMEPERFRAME) != 0 else {
            return parameters.parm.capture.timeperframe.rate
        }
        // In thousandths, for 29.97. Limited, since uvcvideo reports a rate of ten million for an interval of 0.
        let thousandths = UInt32(min(max(0, (rate * 1000).rounded()), Double(UInt32.max)))
        parameters.parm.capture.timeperframe = v4l2_fract(numerator: 1000, denominator: thousandths)
        try request(.setParameters, &parameters, for: .setRate)
        return parameters.parm.capture.timeperframe.rate
    }
}

extension v4l2_fract {
    /// The frame rate, in frames per second, for this time between two frames; nil if the time is not positive.
    fileprivate var rate: Double? { numerator > 0 && denominator > 0 ? Double(denominator) / Double(numerator) : nil }
}
