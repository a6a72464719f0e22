extension FaceReport {
    /// The report as one JSON object, as config/schemas/report.schema.json describes it.
    package var json: [UInt8] {
        JSONWriter.object { json in
            json.field("schema", schemaVersion)
            json.field("title", title)
            json.field("began", began?.formatted(.iso8601))
            json.field("seconds", end, decimals: 3)
            json.field("endsEarly", endsEarly ? true : nil)
            if let pictureSize {
                json.object("picture") {
                    $0.field("width", pictureSize.width)
                    $0.field("height", pictureSize.height)
                }
            }
            json.field("mostFaces", largestCount)
            json.field("occupiedSeconds", occupied, decimals: 3)
            let figures = figures
            json.field("omittedFaces", figures.faces == presences.count ? nil : figures.faces - presences.count)
            let events = figures.counts.values.reduce(0, +)
            json.field("omittedEvents", events == kept.happenings ? nil : events - kept.happenings)
            json.array("faces", presences) { json, face in
                json.field("faceID", face.faceID.rawValue)
                json.field("start", face.start, decimals: 3)
                json.field("end", face.end, decimals: 3)
                json.field("smiles", face.count(of: .smile))
                json.field("smilingSeconds", face.smiling, decimals: 3)
                json.field("looks", face.count(of: .look))
                json.field("lookingSeconds", face.looking, decimals: 3)
                json.field("blinks", face.count(of: .blink))
                if let smile = face.bestSmile {
                    json.object("bestSmile") {
                        $0.field("at", smile.time, decimals: 3)
                        $0.field("smile", smile.face.smile, decimals: 2)
                    }
                }
                json.field("roll", face.medianPose?.roll, decimals: 1)
                json.field("yaw", face.medianPose?.yaw, decimals: 1)
                json.field("pitch", face.medianPose?.pitch, decimals: 1)
            }
            json.array("events", happenings) { json, happening in
                json.field("at", happening.time, decimals: 3)
                json.field("event_type", happening.topic.rawValue)
                json.field("faceID", happening.faceID.rawValue)
                json.fields(of: happening.message.event.kind)
            }
        }
    }
}
