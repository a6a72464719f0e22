import Logging
import MQTT

extension HomeAssistantAnnouncer {
    convenience init(settings: Settings, store: any EventStore, logger: Logger) {
        let discovery = HomeAssistantDiscovery(
            prefix: settings.homeAssistant.prefix,
            base: settings.mqtt.topic,
            camera: settings.camera.name,
            version: Daemon.version,
            published: settings.publish
        )
        self.init(discovery, isOn: settings.homeAssistant.discovery, store: store, logger: logger)
    }
}
