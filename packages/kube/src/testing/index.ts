export { makeCertificates } from './certificates.ts';
export { collect } from './collect.ts';
export { stored } from './stored.ts';
export { TinyServer } from './tiny-server.ts';
export {
  type KeptSpec,
  type LogLine,
  seededRandom,
  settle,
  type VirtualWorld,
  virtualWorld,
} from './virtual-world.ts';
export { WIDGETS } from './widgets.ts';
