/**
 * The status of a Node as the API server has it, which lags behind the machine: a kubelet reports some seconds after it
 * starts, when its status changes, and otherwise every five minutes; it reports a runtime as down only after 30 s; and the
 * Node of a dead kubelet stays Ready for 40 s.
 */
export interface NodeStatus {
  readonly ready: boolean;
  /** `lastHeartbeatTime` of the condition Ready: whole seconds. */
  readonly heartbeat: string;
  readonly kubeletVersion: string;
}

export interface FakeNodeOptions {
  readonly nowMs: () => number;
  /** The kubelet runs and is accepted by the API server. */
  readonly isKubeletRunning: () => boolean;
  readonly isRuntimeUp: () => boolean;
  /** Of the program on the machine. */
  readonly kubeletVersion: () => string;
  /** The kubelet runs and is healthy, but no report arrives. */
  readonly isSilent: () => boolean;
  readonly onReport: () => void;
}

export interface FakeNode {
  /** Before a unit is started or stopped: what the old process has reported until now. */
  settle(): void;
  /** A kubelet was started. */
  started(): void;
  /** `undefined`: no kubelet has ever reported. */
  status(): NodeStatus | undefined;
}

export function fakeNode(options: FakeNodeOptions): FakeNode {
  const { nowMs } = options;
  let current: (NodeStatus & { readonly reportedMs: number }) | undefined;
  let running: { readonly sinceMs: number; readonly version: string; reported: boolean } | undefined;
  let runtimeDownMs: number | undefined;
  let unreportedMs: number | undefined;

  const report = (ready: boolean, version: string) => {
    const reportedMs = nowMs();
    const heartbeat = new Date(reportedMs).toISOString().replace(/\.\d+/, '');
    current = { ready, heartbeat, kubeletVersion: `v${version}`, reportedMs };
    options.onReport();
  };
  const settle = () => {
    const now = nowMs();
    if (!options.isKubeletRunning() || options.isSilent()) {
      unreportedMs ??= now;
      if (!options.isKubeletRunning()) running = undefined;
      if (current !== undefined && now - unreportedMs >= GRACE_MS) current = { ...current, ready: false };
      return;
    }
    unreportedMs = undefined;
    // Made active by a test and not by systemctl: it runs already.
    running ??= { sinceMs: now - FIRST_REPORT_MS, version: options.kubeletVersion(), reported: false };
    if (now - running.sinceMs < FIRST_REPORT_MS) return;
    runtimeDownMs = options.isRuntimeUp() ? undefined : (runtimeDownMs ?? now);
    const ready =
      runtimeDownMs === undefined || (running.reported && now - runtimeDownMs < RUNTIME_DOWN_AFTER_MS);
    const isDue = current === undefined || now - current.reportedMs >= REPORT_EVERY_MS;
    if (!running.reported || isDue || ready !== current?.ready) report(ready, running.version);
    running.reported = true;
  };
  return {
    settle,
    started() {
      running = { sinceMs: nowMs(), version: options.kubeletVersion(), reported: false };
      runtimeDownMs = undefined;
    },
    status() {
      settle();
      return current;
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const FIRST_REPORT_MS = 2_000;
const RUNTIME_DOWN_AFTER_MS = 30_000;
const GRACE_MS = 40_000;
const REPORT_EVERY_MS = 300_000;
