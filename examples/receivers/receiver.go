package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

var secret = []byte(os.Getenv("SHORTY_WEBHOOK_SECRET"))

func isSigned(header http.Header, body []byte) bool {
	timestamp := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil {
		return false
	}
	if age := time.Since(time.Unix(int64(seconds), 0)); age.Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(header.Get("webhook-id") + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	valid := false
	for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
		valid = hmac.Equal([]byte(given), expected) || valid
	}
	return valid
}

var (
	lock    sync.Mutex
	handled = map[string]time.Time{}
)

// The lock lets a repeat wait until the first delivery is handled.
func handleOnce(deliveryID string, body []byte) error {
	lock.Lock()
	defer lock.Unlock()
	for id, at := range handled {
		if time.Since(at) > 48*time.Hour {
			delete(handled, id)
		}
	}
	if _, isRepeat := handled[deliveryID]; isRepeat {
		return nil
	}
	var event struct{ Type string }
	if err := json.Unmarshal(body, &event); err != nil {
		return err
	}
	log.Print(event.Type)
	handled[deliveryID] = time.Now()
	return nil
}

func hook(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		return
	}
	if !isSigned(r.Header, body) {
		http.Error(w, "not signed", http.StatusUnauthorized)
		return
	}
	if err := handleOnce(r.Header.Get("webhook-id"), body); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func main() {
	http.HandleFunc("/hook", hook)
	log.Fatal(http.ListenAndServe("127.0.0.1:3000", nil))
}
