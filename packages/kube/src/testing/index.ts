export { issueClientCertificate } from '../tls/tls.ts';
export { CronError, parseCron } from '../values/cron.ts';
export { makeCertificates } from './certificates.ts';
export { collect } from './collect.ts';
export { TinyServer } from './tiny-server.ts';
export {
  type KeptSpec,
  type LogLine,
  seededRandom,
  settle,
  type VirtualWorld,
  virtualWorld,
} from './virtual-world.ts';
