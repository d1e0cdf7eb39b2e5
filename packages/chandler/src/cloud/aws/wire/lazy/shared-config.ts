/** Loaded on first use: `chandler --help` must not load an SDK. */
export { loadSharedConfigFiles } from '@smithy/core/config';
