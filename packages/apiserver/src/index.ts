export type { CertificateIdentity } from './edge/auth/authenticator.ts';
export { writeKubeconfig } from './edge/kubeconfig.ts';
export { ADMIN, ApiServer, type ApiServerOptions, startApiServer } from './server.ts';
