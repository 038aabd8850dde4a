<?php
function isSigned(string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!preg_match('/\A\d{1,15}\z/', $timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $hmac = hash_hmac('sha256', "$id.$timestamp.$body", getenv('SHORTY_WEBHOOK_SECRET'), true);
    $expected = 'v1,' . base64_encode($hmac);
    $valid = false;
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $given) {
        $valid = hash_equals($expected, $given) || $valid;
    }
    return $valid;
}

function handleOnce(string $deliveryId, object $event): void
{
    // A repeat waits for the lock. The system deletes old files of its temporary folder.
    $handled = fopen(sys_get_temp_dir() . '/delivery-' . hash('sha256', $deliveryId), 'c');
    flock($handled, LOCK_EX);
    if (fstat($handled)['size'] === 0) {
        error_log($event->type);
        fwrite($handled, 'handled');
    }
}

$body = file_get_contents('php://input', false, null, 0, 1_048_577);
if (strlen($body) > 1_048_576) {
    http_response_code(413);
} elseif (!isSigned($body)) {
    http_response_code(401);
} else {
    handleOnce($_SERVER['HTTP_WEBHOOK_ID'], json_decode($body));
    http_response_code(204);
}
