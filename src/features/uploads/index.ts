export { keepFile } from './attach.ts';
export { settleUploads, uploadTasks } from './follow.ts';
export { registerUploads } from './routes.ts';
export { toTaskView } from './schema.ts';
export { cancelUpload, endUpload, startUpload } from './service.ts';
export { countFile, findUpload, type UploadRow, uploadsUnderWayLook } from './store.ts';
