export { issueClientCertificate } from '../tls/tls.ts';
export { CronError, parseCron } from '../values/cron.ts';
export {
  type KeptSpec,
  type LogLine,
  seededRandom,
  settle,
  type VirtualWorld,
  virtualWorld,
} from './virtual-world.ts';
