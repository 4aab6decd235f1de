import JOSE
import MetricFamilies

/// Numbers of reloads since the start, by result.
struct ReloadCounts {
    var succeeded = 0
    var refused = 0

    var samples: [MetricFamily.Sample] { .by("result", ["succeeded": succeeded, "refused": refused]) }

    /// Metrics about the process: readiness, reloads, restarts, and which file and version run.
    ///
    /// - Parameter digest: SHA-256 of the file in force, in hexadecimal.
    func families(isReady: Bool, generation: Int, digest: String, restarts: Int) -> [MetricFamily] {
        let build: MetricFamily.Labels = [
            ("version", Version.number), ("commit", Version.commit), ("libcrypto", CryptographicLibrary.version),
        ]
        return [
            .gauge("bearward_ready", "1 while /readyz answers 200.", isReady ? 1 : 0),
            .counter("bearward_reloads_total", "Reloads of the configuration, by result.", samples),
            .gauge(
                "bearward_configuration_generation",
                "Number of the running configuration: 1 at the start, one more with each reload.", generation),
            .gauge(
                "bearward_configuration_info",
                "Always 1; the labels say which file is in force, by the SHA-256 that `sha256sum` prints and by its generation.",
                [MetricFamily.Sample(1, [("sha256", digest), ("generation", "\(generation)")])]),
            .counter(
                "bearward_worker_restarts_total", "Workers that ended unexpectedly and were replaced.", restarts),
            .gauge(
                "bearward_build_info", "Always 1; the labels say which version runs.",
                [MetricFamily.Sample(1, build)]),
        ]
    }
}
