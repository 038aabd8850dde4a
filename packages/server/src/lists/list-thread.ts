import { ListTimeoutError, StorageUnavailableError } from '../storage/database.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import { defineThread } from '../threads/define-thread.js';
import { encodeError, type TransferredError } from '../threads/error-transfer.js';
import { listMethods } from './list-methods.js';

/** Reports that an update of the search index failed. */
export type ListThreadEvent = { readonly error: TransferredError };

/** The thread that reads lists and updates the search index, because both would delay redirects. */
export const listThread = defineThread({
  name: 'lists',
  file: import.meta.url,
  lifetime: 'background',
  errorClasses: [ListTimeoutError, StorageUnavailableError],
  start(storage: StorageOptions, emit: (event: ListThreadEvent) => void) {
    const database = openStorage(storage);
    const indexer = database.searchIndex.startIndexer((error) =>
      emit({ error: encodeError(error, []) }),
    );
    return {
      methods: listMethods(database),
      async stop(): Promise<void> {
        await indexer.stop();
        await database.close();
      },
    };
  },
});
