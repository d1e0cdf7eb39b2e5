/** A controller runtime for Kubernetes, one line per concept. Start with `shapedTransport` and `KubeClient`. */

export { Interner } from './cache/interner.ts';
export { ReadYourWrites } from './cache/read-your-writes.ts';
export { type AnyReflector, Reflector, type ReflectorOptions } from './cache/reflector.ts';
export { compareVersions, isNewer } from './cache/resource-version.ts';
export { feedStore, onceSource, type Source, type StoreSourceOptions, storeSource } from './cache/sources.ts';
export {
  type IndexFunction,
  Store,
  type StoreChange,
  type StoreListener,
  type StoreOptions,
} from './cache/store.ts';
export {
  type Trim,
  type TrimOptions,
  type TrimTable,
  trimFor,
  trimManagedFields,
  trimNode,
  trimPod,
  trimSharing,
  trims,
  trimWorkload,
} from './cache/trim.ts';
// Cache: reflectors, stores and watches
export { decodeWatch, type WatchStream } from './cache/watch.ts';
export {
  type ApiErrorKind,
  ApiStatusError,
  ignoreApiErrors,
  isApiError,
  isStatus,
} from './client/api-error.ts';
export { KubeClient, type KubeClientOptions } from './client/client.ts';
export type { JsonPatchOperation, Patch } from './client/client-bodies.ts';
export type {
  DeleteOptions,
  GetOptions,
  ListOptions,
  PatchOptions,
  WatchOptions,
  WriteOptions,
} from './client/client-options.ts';
export { type ShapeOptions, shapedTransport } from './client/connect.ts';
// Client: transports and credentials
export {
  type Credentials,
  CredentialsError,
  type CredentialsOptions,
  loadCredentials,
} from './client/credentials.ts';
export { type DeadlineOptions, withDeadline } from './client/deadline.ts';
export type { Endpoint, Identity } from './client/endpoint.ts';
export { UnconditionalWrite } from './client/preconditions.ts';
export { type Proxies, type ProxyEnvironment, proxiesOf, proxyFor } from './client/proxy-environment.ts';
export { DEFAULT_RATE_LIMIT, type RateLimitOptions, withRateLimit } from './client/rate-limit.ts';
export { withRequestMetrics } from './client/request-metrics.ts';
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
} from './client/resource.ts';
// Kinds
export * from './client/resources.table.ts';
export * as resources from './client/resources.table.ts';
export { type RetryOptions, retryAfterMs, withRetry } from './client/retry.ts';
export { StaleWrites } from './client/stale-writes.ts';
export {
  bind,
  evict,
  getScale,
  requestToken,
  type Scale,
  type TokenRequest,
  updateScale,
} from './client/subresources.ts';
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
} from './client/transport.ts';
export { undiciTransport } from './client/undici-transport.ts';
export type { Written } from './client/written.ts';
export {
  Controller,
  type ControllerOptions,
  type Reconcile,
  type ReconcileContext,
  type Result,
  TerminalError,
} from './controller/controller.ts';
export {
  backoffWithBucket,
  type ItemLimiter,
  itemBackoff,
  reasonableLimiter,
  TokenBucket,
  type TokenBucketOptions,
} from './controller/rate-limiter.ts';
export { RecentMap } from './controller/recent-map.ts';
export { type SingletonOptions, singleton } from './controller/singleton.ts';
export { Turns, turnsOf } from './controller/turns.ts';
// Controllers, leader election and events
export { type AddOptions, LOW_PRIORITY, WorkQueue, type WorkQueueOptions } from './controller/work-queue.ts';
export { EventRecorder, type EventRecorderOptions, type EventSpec } from './events/events.ts';
export * from './kinds/index.ts';
export { Fence, withFence } from './leader/fence.ts';
export { LeaderElection, type LeaderElectionOptions } from './leader/leader-election.ts';
export {
  apiVersionOf,
  type FieldsV1,
  type KubeObject,
  type ListMeta,
  type ManagedFieldsEntry,
  type NamedObject,
  type NamespacedMeta,
  type NamespacedObject,
  type ObjectMeta,
  type OwnerReference,
  parseApiVersion,
  type Status,
  type StatusCause,
  type StatusDetails,
  type Stored,
  type StoredMeta,
} from './object.ts';
export {
  type Answer,
  type Check,
  type HttpServer,
  healthRoutes,
  metricsRoutes,
  type Routes,
  serve,
} from './observability/health.ts';
export { Heap } from './observability/heap.ts';
export { type LogLevel, type PinoLogOptions, pinoLog } from './observability/log.ts';
// Logs, metrics and health
export { type PromMetrics, type PromMetricsOptions, promMetrics } from './observability/metrics.ts';
export { REDACTED, redact } from './observability/redact.ts';
export { countProgramError, isProgramError, rethrowProgramError } from './program-error.ts';
export { systemClock, systemFetch, systemRandom, systemWorld } from './system-world.ts';
export { type Cron, CronError, isWindowActive, parseCron } from './values/cron.ts';
export {
  DurationError,
  formatDuration,
  isDuration,
  NEVER,
  parseDuration,
  parseDurationMs,
  parseNillableDuration,
  readDurationMs,
} from './values/duration.ts';
export { fieldText } from './values/field-path.ts';
export { KUBE_YAML } from './values/kube-yaml.ts';
export { canonicalQuantity, isQuantity, parseQuantity, Quantity, QuantityError } from './values/quantity.ts';
export { isSecretName, isSecretNameInText } from './values/secret-names.ts';
export { formatMicroTime, formatTime, parseTimeMs } from './values/time.ts';
export { HIDDEN, withoutSecrets } from './values/without-secrets.ts';
export type {
  Clock,
  Counter,
  Fetch,
  Gauge,
  Histogram,
  Log,
  LogFields,
  MetricLabels,
  MetricSpec,
  Metrics,
  Random,
  Series,
  Summary,
  Timer,
  World,
} from './world.ts';
