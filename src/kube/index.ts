/** The hands that talk to Kubernetes. One line per concept; start with `shapedTransport` and `KubeClient`. */

export { type ApiErrorKind, ApiStatusError, isApiError, isStatus } from './api-error.ts';
export { KubeClient, type KubeClientOptions, type Written } from './client.ts';
export {
  bind,
  evict,
  getScale,
  type JsonPatchOperation,
  type Patch,
  requestToken,
  type Scale,
  type TokenRequest,
  updateScale,
} from './client-bodies.ts';
export type {
  DeleteOptions,
  GetOptions,
  ListOptions,
  PatchOptions,
  WatchOptions,
  WriteOptions,
} from './client-options.ts';
export { type ShapeOptions, shapedTransport } from './connect.ts';
export {
  Controller,
  type ControllerOptions,
  type Reconcile,
  type ReconcileContext,
  type Result,
  TerminalError,
} from './controller.ts';
// Reaching a cluster
export {
  type Credentials,
  CredentialsError,
  type CredentialsOptions,
  loadCredentials,
} from './credentials.ts';
export { type DeadlineOptions, withDeadline } from './deadline.ts';
export { EventRecorder, type EventRecorderOptions, type EventSpec } from './events.ts';
export { Fence, withFence } from './fence.ts';
export {
  type Answer,
  type Check,
  type HttpServer,
  healthRoutes,
  metricsRoutes,
  type Routes,
  serve,
} from './health.ts';
export { Interner } from './interner.ts';
export { DEFAULT_LEASE_NAME, LeaderElection, type LeaderElectionOptions } from './leader-election.ts';
export { type LogLevel, type PinoLogOptions, pinoLog } from './log.ts';
// Being watched
export { type PromMetrics, type PromMetricsOptions, promMetrics } from './metrics.ts';
export { UnconditionalWrite } from './preconditions.ts';
export { type Proxies, type ProxyEnvironment, proxiesOf, proxyFor } from './proxy-environment.ts';
export { type RateLimitOptions, withRateLimit } from './rate-limit.ts';
export {
  backoffWithBucket,
  type ItemLimiter,
  itemBackoff,
  reasonableLimiter,
  TokenBucket,
  type TokenBucketOptions,
} from './rate-limiter.ts';
export { ReadYourWrites } from './read-your-writes.ts';
export { isSecretName, REDACTED, redact } from './redact.ts';
export { Reflector, type ReflectorOptions } from './reflector.ts';
export { withRequestMetrics } from './request-metrics.ts';
export {
  apiVersionOfResource,
  collectionPath,
  keyOf,
  keyOfObject,
  keyString,
  type ObjectKey,
  objectPath,
  parseKey,
  type ResourceRef,
  resourceName,
} from './resource.ts';
export { compareVersions, isNewer } from './resource-version.ts';
// Objects, by kind
export * from './resources.table.ts';
export { type RetryOptions, retryAfterMs, withRetry } from './retry.ts';
export { type SingletonOptions, singleton } from './singleton.ts';
export { onceSource, type Source, type StoreSourceOptions, storeSource } from './sources.ts';
export {
  type IndexFunction,
  Store,
  type StoreChange,
  type StoreListener,
  type StoreOptions,
} from './store.ts';
export {
  type ClosableTransport,
  fetchTransport,
  type Method,
  pathWithQuery,
  type Query,
  type Transport,
  TransportError,
  type TransportErrorKind,
  type TransportRequest,
  type TransportResponse,
  withHeaders,
  withUserAgent,
} from './transport.ts';
export { type Trim, trimFor, trimManagedFields, trimNode, trimPod, trimWorkload } from './trim.ts';
export { type Endpoint, type Identity, undiciTransport } from './undici-transport.ts';
// Knowing what is there
export { decodeWatch, type WatchStream } from './watch.ts';
// Acting on it
export { type AddOptions, LOW_PRIORITY, WorkQueue, type WorkQueueOptions } from './work-queue.ts';
