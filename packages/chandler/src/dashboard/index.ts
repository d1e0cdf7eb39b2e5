/**
 * The page of a cluster: a read model from watched objects, a log of its changes, and the server. Start with `ReadModel` and
 * `startPageServer`. `wire.ts` is the JSON, `web/` the app in the browser.
 */
export {
  type KubernetesAdmissionOptions,
  kubernetesAdmission,
  type Viewer,
} from './access/kubernetes-admission.ts';
export { Reviews } from './access/reviews.ts';
export { FewAtOnce } from './few-at-once.ts';
export { happenedOf, lifeOf, ofCommand, ofFailure } from './happened.ts';
export { inOrder } from './happened-key.ts';
export type { ModelSources } from './model-sources.ts';
export { pageAssets } from './page-assets.ts';
export { type PagePod, trimToRow } from './page-pods.ts';
export { type PodSource, rowsOfPods, storedRows } from './pod-source.ts';
export { PodTally, type PodUsage, type TalliedPod, trimToTally } from './pod-tally.ts';
export { type DashboardQuestions, type PlaygroundQuestions, QuestionError } from './questions.ts';
export { ReadModel } from './read-model.ts';
export { readOnly } from './read-only-transport.ts';
export { type ReadRecording, RecordingError, readRecording } from './recording/read-recording.ts';
export { Recorder, type RecordingSource } from './recording/recorder.ts';
export { rounded } from './rows.ts';
export { type Admission, type Admitted, bearer, type Refusal } from './server/admission.ts';
export { type PageServer, startPageServer, startSharedPage } from './server/page-server.ts';
export type { OpenedPage } from './server/routes.ts';
export { sharedAnswer } from './shared-answer.ts';
export { snapshotOf } from './snapshot.ts';
export { newToken } from './tokens.ts';
export { NO_PRICES, type Prices, type Share, type TopNode, topNodes } from './top-nodes.ts';
export { VIEWS } from './views.table.ts';
export type * as wire from './wire.ts';
