export { standinNodeHost } from './node-host.ts';
export { type Playground, type PlaygroundOptions, startPlayground } from './playground.ts';
export { DEFAULT_NODE_CLASS, DEFAULT_NODE_POOL } from './scenarios/default-pool.ts';
export { STORIES } from './scenarios/index.ts';
export { ensureObject } from './scenarios/manifests.ts';
export { type PlayOptions, play, type StoryEnd, type Told } from './scenarios/player.ts';
export type { Story } from './scenarios/story.ts';
