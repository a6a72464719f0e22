import FaceMetadata
import Testing

@testable import OverlayRendering

@Suite("Perspective of a head's plane")
struct FacePlaneTests {
    private let center = SurfacePoint(x: 100, y: 100)

    @Test("turned straight ahead it lies in the surface")
    func straight() {
        let plane = FacePlane(center: center, pose: pose(0, 0, 0))
        #expect(plane.point(30, -20).isClose(to: SurfacePoint(x: 130, y: 80)))
    }

    @Test("rolls clockwise")
    func roll() {
        let plane = FacePlane(center: center, pose: pose(90, 0, 0))
        #expect(plane.point(30, 0).isClose(to: SurfacePoint(x: 100, y: 130)))
        #expect(plane.point(0, 30).isClose(to: SurfacePoint(x: 70, y: 100)))
    }

    // yaw 30°: a point 100 to the right goes to x = 100·cos 30° = 86.603, z = −50; m34 = 1/−1000 shrinks it by
    // 1/(1 + 0.05): 82.479. One 100 to the left comes nearer: −86.603/(1 − 0.05) = −91.161.
    @Test("yaw is a projection: the far half shrinks, the near half grows")
    func yaw() {
        let plane = FacePlane(center: center, pose: pose(0, 30, 0))
        #expect(plane.point(100, 0).distance(to: SurfacePoint(x: 182.4786, y: 100)) < 1e-3)
        #expect(plane.point(-100, 0).distance(to: SurfacePoint(x: 8.8395, y: 100)) < 1e-3)
        // The far edge is shorter than the near one: 100·2/1.05 against 100·2/0.95.
        let far = plane.point(100, -100).distance(to: plane.point(100, 100))
        let near = plane.point(-100, -100).distance(to: plane.point(-100, 100))
        #expect(abs(far - 190.476) < 1e-3 && abs(near - 210.526) < 1e-3)
    }

    @Test("a nose turned to the right points to the right, one turned up points up")
    func nose() {
        #expect(FacePlane(center: center, pose: pose(0, 30, 0)).point(0, 0, 50).x > 120)
        #expect(FacePlane(center: center, pose: pose(0, 0, 30)).point(0, 0, 50).y < 80)
        // The nose's direction does not depend on the roll.
        #expect(FacePlane(center: center, pose: pose(70, 0, 30)).point(0, 0, 50).y < 80)
    }

    @Test("a face larger than the eye's distance still has a finite picture")
    func huge() {
        let point = FacePlane(center: center, pose: pose(0, -60, 0)).point(100_000, 0)
        #expect(point.x.isFinite && point.y.isFinite)
    }
}
