import { defineModule } from '../../http/define-module.ts';
import { addItem, addItems } from './add-items.ts';
import { deleteItem, updateItem } from './change-item.ts';
import { changeClaim, claimItem, unclaimItem } from './claims/claim-item.ts';
import { listEventClaims, listItemClaims } from './claims/list-claims.ts';
import { listMyClaims } from './claims/list-my-claims.ts';
import { itemDeletionHooks } from './delete-account-data.ts';
import { duplicateEvent } from './duplicate-event.ts';
import { itemExportSections } from './export-sections.ts';
import { listItems } from './list-items.ts';
import { listTemplates } from './list-templates.ts';
import type { ItemServices } from './services.ts';

/** Items that an event needs, and the claims on them. */
export const items = defineModule<ItemServices>({
  tag: 'Items',
  endpoints: {
    listItems,
    addItem,
    addItems,
    duplicateEvent,
    listTemplates,
    updateItem,
    deleteItem,
    claimItem,
    changeClaim,
    unclaimItem,
    listItemClaims,
    listEventClaims,
    listMyClaims,
  },
  deletionHooks: itemDeletionHooks,
  exportSections: itemExportSections,
});
