extension NetworkLoop {
    func sendSubscriptions() {
        // This client's own topic is first: nothing is sent before its retained message is known.
        let filters = [settings.selfCorrectingTopic].compactMap(\.self) + session.state.withLock(\.subscriptions)
        while takesMore, let handle, subscribed < filters.count {
            let filter = filters[subscribed]
            subscribed += 1
            do {
                try handle.subscribe(filter)
                if subscribed == 1, checksOwnTopicSince != nil { try handle.requestBarrier(after: filter) }
            } catch {
                guard error.concernsTheMessage else { return connectionFailed(error) }
                logger.error("cannot subscribe", metadata: ["filter": "\(filter)", "reason": "\(error.text)"])
            }
        }
    }

    /// Logs the broker's refusal of a subscription, which is a reason code of 0x80 or above.
    func subscriptionAnswered(_ filter: String, reasons: [Int32]) {
        guard let reason = reasons.first(where: { $0 >= 0x80 }) else { return }
        logger.error(
            "the broker refused a subscription; check its access list",
            metadata: ["filter": "\(filter)", "reason": "\(MosquittoHandle.reasonText(reason))"]
        )
    }

    func sendStates() {
        if correction.isDue(now: DeliveryClock.monotonic()) {
            session.state.withLock { $0.topics.renewOwn() }
        }
        while takesMore, let message = session.state.withLock({ $0.topics.nextDue() }) {
            let isSent = closing.takes(message) && send(message)
            guard !isSent || min(message.qos, maximumQoS) == .atMostOnce else { continue }
            session.state.withLock { $0.topics.settle(message.topic) }
        }
    }

    func sendEvents() {
        while takesMore {
            if session.expireEvents() { return session.waker.wake() }
            let now = session.clock.now()
            guard let (event, remaining) = session.state.withLock({ $0.events.next(now: now) }) else { return }
            let isSent = closing.takes(event.message) && send(event.message, as: event.sequence, remaining)
            if !isSent, machine.isConnected { session.settle(event: event.sequence, isRefused: true) }
        }
    }

    func sendTransients() {
        for message in session.state.withLock({ exchange(&$0.transients, with: []) }) {
            let isTaken = takesMore
            if isTaken, closing.takes(message), send(message) { continue }
            let drop: DeliveryCounters.Drop = !machine.isConnected ? .offline : isTaken ? .rejected : .congested
            session.state.withLock { $0.counters.count(drop) }
        }
    }

    /// Sends a message. For an event, `event` is its number, and `expiry` the time until it is too old, nil without a
    /// limit. Returns false if the message cannot be sent or the connection is gone.
    private func send(_ message: MQTTMessage, as event: Int64? = nil, _ expiry: Duration? = nil) -> Bool {
        guard let handle else { return false }
        var message = message
        message.retain = message.retain && closing.takesRetained
        let qos = min(message.qos, maximumQoS)
        do {
            try handle.publish(message, event: event, qos: qos, expiry: expiry)
            session.state.withLock { $0.counters.sent += 1 }
            // A message that gets no answer is followed by a request that gets one.
            let isAlone = closing.sent(message, at: DeliveryClock.monotonic())
            if isAlone, qos == .atMostOnce { try handle.requestBarrier(after: message.topic) }
            proxy?.flush()
            return true
        } catch {
            if error.concernsTheMessage {
                logRejection(of: message.topic, size: message.size, reason: error.text)
            } else {
                connectionFailed(error)
            }
            return false
        }
    }

    /// Handles the broker's answer to a message; a reason code of 0x80 or above is a refusal.
    func answered(_ sent: MosquittoHandle.Sent, reason: Int32) {
        if sent.qos == .atLeastOnce { closing.answered() }
        let isPostponed = refusals.isTemporary(reason, of: sent.topic, now: DeliveryClock.monotonic())
        switch sent.event {
        case nil: session.state.withLock { $0.topics.settle(sent.topic, isDueAgain: isPostponed) }
        case let event? where isPostponed: session.state.withLock { $0.events.postpone(event) }
        case let event?: session.settle(event: event, isRefused: reason >= 0x80)
        }
        guard reason >= 0x80 else { return }
        let text = MosquittoHandle.reasonText(reason)
        guard isPostponed else { return logRejection(of: sent.topic, reason: text) }
        logger.warning(
            "the broker cannot take a message now; it is sent again",
            metadata: ["topic": "\(sent.topic)", "reason": "\(text)"]
        )
    }

    /// Logs each reason for a rejection once per topic. The counters include every rejected message but states.
    private func logRejection(of topic: String, size: Int? = nil, reason: String) {
        guard loggedRejections.insert(topic + "\0" + reason).inserted else { return }
        var metadata: Logger.Metadata = ["topic": "\(topic)", "reason": "\(reason)"]
        if let size { metadata["bytes"] = "\(size)" }
        logger.error("a message was refused and is dropped", metadata: metadata)
    }

    /// Looks for the message that made the broker close the connection, and logs it once it is found.
    func searchCause() {
        let wasSearching = closing.isSearching
        let finding = closing.ended(at: DeliveryClock.monotonic())
        if !wasSearching, closing.isSearching {
            logger.warning("the broker keeps ending the connection: messages go out one by one to find the cause")
        }
        guard let finding else { return }
        machine.explained()
        let advice = "check the broker's largest packet, its retained messages and its access list"
        switch finding {
        case .message(let topic, let size, let isRetained):
            let what = isRetained ? "a retained message" : "a message"
            logger.error(
                "the broker ends the connection when \(what) comes, which is left out until it is smaller; \(advice)",
                metadata: ["topic": "\(topic)", "bytes": "\(size)"]
            )
        case .retained:
            logger.error(
                "the broker ends the connection at each retained message: they are sent without being retained"
            )
        }
    }

    /// Handles the answer to `requestBarrier`: the broker has answered everything that was sent before.
    func barrierReached() {
        if checksOwnTopicSince == nil { closing.answered() }
        checksOwnTopicSince = nil
    }

    /// Counts received messages that are too large, or whose topic is not valid UTF-8.
    func countRefused(_ number: Int) { session.state.withLock { $0.counters.count(.incomingRefused, number) } }

    func received(_ message: MQTTMessage) {
        guard message.payload.count <= settings.maximumIncomingPayload else { return countRefused(1) }
        let filters = session.state.withLock(\.subscriptions)
        let isWanted = filters.contains { MosquittoHandle.matches(message.topic, filter: $0) }
        if message.topic == settings.selfCorrectingTopic { guardOwnTopic(message) }
        guard isWanted, let dropped = session.inbox.put({ $0.put(.message(message)) }) else { return }
        session.state.withLock { $0.counters.count(.incomingOverflow, dropped.count) }
    }

    private func guardOwnTopic(_ message: MQTTMessage) {
        let now = DeliveryClock.monotonic()
        let (isForeign, isRivals) = session.state.withLock { state in
            (state.topics.isForeign(message), state.topics.isRivals(message))
        }
        guard !message.retain else {
            // The renewal of all states overwrites the retained message anyway.
            guard checksOwnTopicSince != nil, isRivals else { return }
            // Not every broker says why it closed a connection (mosquitto 2.0 does not), so a takeover may look like
            // any loss. But the client that took over also replaced this client's retained state. Found once, that
            // proves nothing: a broker that crashed may have restored a state of an earlier run. Found twice, it makes
            // this client give way before sending its own state. The other client then reconnects to its own state.
            guard let last = exchange(&rivalFound, with: now), now - last < Self.rivalWindow else { return }
            // DISCONNECT keeps this client's will from replacing the other client's state.
            handle?.disconnect()
            flushed {}
            return connectionLost(.takenOver)
        }
        guard isForeign, correction.noticed(now: now) else { return }
        logger.warning(
            "another client keeps publishing on this client's own topic; \(settings.advice.rival)",
            metadata: ["topic": "\(message.topic)"]
        )
    }

    /// Ends the connection after a call of `stop`: first sends what is queued, then DISCONNECT.
    func leaveIfAsked() {
        guard let stop = session.state.withLock(\.stop) else { return }
        let now = DeliveryClock.monotonic()
        guard now < stop.deadline, isLinked else { return finish(didDisconnect: false) }
        if isLeaving { return disconnect() }
        guard machine.isConnected else { return }
        let isSettled = session.state.withLock { state in
            state.topics.unsettledTopics.isEmpty && state.transients.isEmpty && state.events.isEmpty
        }
        if (isSettled && takesMore) || now >= stop.disconnectTime { disconnect() }
    }
}
