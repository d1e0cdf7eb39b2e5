export { serverCloser } from './close-server.ts';
export {
  CERTIFICATE_DAYS,
  type CertificateAuthority,
  type CertificateIdentity,
  createAuthority,
  DAY_MS,
  issueClientCertificate,
  issueServingCertificate,
  type KeyAndCertificate,
  loadAuthority,
  peerIdentity,
  signCertificate,
} from './tls.ts';
export { loadX509 } from './x509-library.ts';
