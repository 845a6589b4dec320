export { JournalError, type JournalErrorCode } from './errors.ts'
export { type FileJournal, fileJournal } from './file.ts'
